import { CtxError } from "../../base/errors.js";
import { printable } from "../../base/printable.js";
import type { TitleResult } from "../../results/log.js";
import { type Command, oneOf } from "../command.js";
import { openStore } from "../open-store.js";
import { hintFor, otherWords } from "../other-words.js";
import { notice } from "../output.js";
import { print, printList } from "../print.js";

export const tag: Command = {
  name: "tag",
  summary: "list tags, or tag a pack",
  details:
    "Without arguments, lists the tags. With a name, tags a pack, by default the one added last. A tag can be used wherever a command takes a pack.",
  arguments: [
    {
      name: "name",
      summary:
        "letters, digits, dots, dashes and underscores; not only hex digits, nor an existing tag in another case",
      required: false,
      complete: "tag",
    },
    { name: "pack", summary: "any name of a pack (default: latest)", required: false, complete: "pack" },
  ],
  options: [
    ...oneOf([
      { long: "list", short: "l", summary: "list the tags; with a name, those that contain it" },
      { long: "delete", short: "d", summary: "remove the tag; the pack stays" },
    ]),
    {
      long: "force",
      short: "f",
      summary: "move a tag that already exists",
      conflicts: ["list", "delete"],
    },
    {
      long: "title",
      value: "text",
      summary: "set the title of a pack, which `ctx log` shows; an empty title removes it",
      conflicts: ["list", "delete", "force"],
    },
  ],
  examples: [
    { run: "ctx tag good-run", does: "tag the pack added last" },
    { run: "ctx tag baseline latest --force", does: "move a tag to another run" },
    { run: "ctx tag -d good-run", does: "remove a tag" },
    { run: "ctx tag", does: "list the tags" },
    { run: 'ctx tag --title "the run that broke the tests" 47d7', does: "set the title of a run" },
  ],
  exits: [
    { status: 0, when: "done" },
    { status: 2, when: "the tag exists or its name is not allowed, or there is no such tag or pack" },
  ],
  async run(call) {
    const [name, pack] = call.arguments;
    const ops = await import("../../ops/tag.js");
    const store = openStore(call);
    const remove = call.options.has("delete");
    const title = call.options.get("title");
    if (title !== undefined) {
      if (pack !== undefined)
        throw new CtxError("usage", "--title takes one pack and no tag name", {
          hint: "`ctx tag <name> <pack>` tags a pack; `ctx tag --title <text> <pack>` sets its title",
        });
      const result = ops.setTitle(store, title, name === undefined ? {} : { pack: name });
      await print(call, result, () => titleText(result));
      return 0;
    }
    if (name === undefined || call.options.has("list")) {
      if (remove) throw new CtxError("usage", "-d needs the name of a tag");
      if (call.options.has("force")) throw new CtxError("usage", "-f needs the name of a tag");
      if (pack !== undefined) throw new CtxError("usage", "-l takes one text, which the names contain");
      const all = ops.listTags(store);
      const tags = all.filter((each) => name === undefined || each.name.includes(name));
      await printList(call, tags, async (screen) => {
        const { renderTags } = await import("../../render/tags.js");
        return renderTags(tags, screen);
      });
      if (all.length === 0 && !call.json)
        notice(call, "there are no tags here yet; `ctx tag <name>` makes one");
      else if (tags.length === 0 && !call.json) notice(call, `no tag contains "${name ?? ""}"`);
      return 0;
    }
    if (remove && pack !== undefined) throw new CtxError("usage", "-d takes only the name of a tag");
    const action = hintFor(otherWords.values["tag"], name);
    if (pack !== undefined && action !== undefined)
      throw new CtxError("usage", `"${name}" looks like an action, not like the name of a tag`, {
        hint: action,
      });
    const options = { force: call.options.has("force"), ...(pack === undefined ? {} : { pack }) };
    const result = remove ? ops.deleteTag(store, name) : ops.setTag(store, name, options);
    await print(call, result, () =>
      result.hash === null
        ? `${result.name} removed; it was damaged\n`
        : `${result.name} ${remove ? "removed from" : "names"} ctx://${result.hash.slice(7)}\n`,
    );
    return 0;
  },
};

function titleText({ hash, title, change }: TitleResult): string {
  const pack = `ctx://${hash.slice("sha256:".length)}`;
  if (change === "unchanged") return `${pack} has no title of yours to remove\n`;
  return change === "set"
    ? `${pack} is titled "${printable(title ?? "")}"\n`
    : `${pack} no longer has a title of yours${title === null ? "" : `; it is listed as "${printable(title)}"`}\n`;
}
