// A registry in memory, for the demo and the documents: as much of the OCI distribution specification as is
// needed to push, list and pull. It listens on this machine only, prints its port on standard output, and
// ends with its standard input. The tests proper use a real one.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";

const blobs = new Map();
/** By repository: manifests by name, and the tags among those names. */
const repositories = new Map();

const routes = [
  ["GET", /^\/v2\/(.+)\/tags\/list$/, listTags],
  ["POST", /^\/v2\/(.+)\/blobs\/uploads\/$/, startUpload],
  ["PUT", /^\/v2\/(.+)\/blobs\/uploads\/[\w-]+$/, upload],
  ["HEAD", /^\/v2\/(.+)\/blobs\/(sha256:[0-9a-f]{64})$/, getBlob],
  ["GET", /^\/v2\/(.+)\/blobs\/(sha256:[0-9a-f]{64})$/, getBlob],
  ["HEAD", /^\/v2\/(.+)\/manifests\/([\w.:-]+)$/, getManifest],
  ["GET", /^\/v2\/(.+)\/manifests\/([\w.:-]+)$/, getManifest],
  ["PUT", /^\/v2\/(.+)\/manifests\/([\w.:-]+)$/, putManifest],
];

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  for (const [method, path, answer] of routes) {
    const match = request.method === method ? path.exec(url.pathname) : null;
    if (match === null) continue;
    const { status, headers = {}, bytes = "" } = answer({ match, url, body, request });
    response.writeHead(status, { "content-length": Buffer.byteLength(bytes), ...headers });
    response.end(method === "HEAD" ? "" : bytes);
    return;
  }
  response.writeHead(404, { "content-length": 0 }).end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit()).resume();

function digestOf(bytes) {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function repository(name) {
  if (!repositories.has(name)) repositories.set(name, new Map());
  return repositories.get(name);
}

function listTags({ match: [, name] }) {
  const tags = [...repository(name).keys()]
    .filter((tag) => !tag.startsWith("sha256:"))
    .sort((a, b) => (a < b ? -1 : 1));
  return { status: 200, bytes: JSON.stringify({ name, tags }) };
}

function startUpload({ match: [, name] }) {
  return { status: 202, headers: { location: `/v2/${name}/blobs/uploads/${randomUUID()}` } };
}

function upload({ url, body }) {
  const digest = url.searchParams.get("digest");
  if (digest !== digestOf(body)) return { status: 400 };
  blobs.set(digest, body);
  return { status: 201 };
}

function getBlob({ match: [, , digest], request }) {
  const bytes = blobs.get(digest);
  if (bytes === undefined) return { status: 404 };
  const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
  if (request.method === "HEAD" || from === undefined)
    return { status: 200, bytes, headers: { "content-length": bytes.length } };
  const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  return { status: 206, bytes: bytes.subarray(Number(from)), headers: { "content-range": range } };
}

function getManifest({ match: [, name, tag] }) {
  const bytes = repository(name).get(tag);
  if (bytes === undefined) return { status: 404 };
  const type = "application/vnd.oci.image.manifest.v1+json";
  return { status: 200, bytes, headers: { "content-type": type, "docker-content-digest": digestOf(bytes) } };
}

function putManifest({ match: [, name, tag], body }) {
  const { config, layers } = JSON.parse(body.toString("utf8"));
  if (![config, ...layers].every(({ digest }) => blobs.has(digest))) return { status: 400 };
  for (const key of [tag, digestOf(body)]) repository(name).set(key, body);
  return { status: 201, headers: { "docker-content-digest": digestOf(body) } };
}
