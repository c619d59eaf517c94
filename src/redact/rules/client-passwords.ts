// Passwords on the command lines of known programs, and what is piped into them.
import { type ClientPlace, clientPlaces, quote, value } from "./client-places.js";
import type { SecretRule } from "./rule.js";

/** Options and variables of any program. */
const anyProgram: readonly ClientPlace[] = [
  {
    // Options and settings of any program: a word that another option, an address or the end of the line follows.
    anchors: ["password=", "passwd=", "passphrase=", "password ", "passphrase "],
    before:
      "(?<=[ \"'](?:--[a-z-]{0,30}|-{1,2}[A-Za-z-]{1,24}[ =][\"']?[\\w.,=/:@-]{0,60}))(?:pass(?:word|wd|phrase))(?:=|(?<=--[a-z-]{0,40}) )(?!(?:to|the|is|and|or|for|option|flag|file|argument|from|on|in|with|parameter)\\b)",
    after: "(?=[\"']|[ \\t]+(?:-|https?:)|(?<==[^\\s=]{1,300})[ \\t]{0,4}(?:\\\\?\\n|$))",
    masked: [
      "wget --user=ana --password=\u00abvelvetember\u00bb https://a.example/x",
      "helm upgrade x ./c --set auth.password=\u00abvelvetember\u00bb",
      "terraform apply -var 'db_password=\u00abvelvetember\u00bb'",
      "aws rds modify --master-user-password \u00abvelvetember\u00bb --apply-immediately",
    ],
    left: [
      "use --password to set it",
      "--password PASSWORD --user x",
      "--password=password",
      "--password <password> --x",
    ],
  },
  {
    // A variable that is set for one command or a container.
    anchors: ["PASSWORD=", "PASSWD=", "PASSPHRASE=", "SSHPASS="],
    before:
      "(?<=(?:^|[\\n;&|(]|-e |export |env |set )[ \\t]{0,8}[\"']?[A-Z0-9_]{0,30}[A-Z_])(?:PASSWORD|PASSWD|PASSPHRASE|SSHPASS)=(?![a-z]+_[a-z_]+)",
    after: "(?=[\"';]|[ \\t]|\\\\?\\n|$)",
    masked: [
      "PGPASSWORD=\u00abvelvetember\u00bb psql -h db",
      "docker run -e POSTGRES_PASSWORD=\u00abvelvetember\u00bb postgres",
    ],
    left: ["DB_PASSWORD=postgres psql", "export DB_PASSWORD=$PW", "PASSWORD=password x"],
  },
];

/** What a program reads as a secret, from a pipe: `echo … | gpg --passphrase-fd 0`. */
const readers =
  "(?:gpg2?|openssl|cryptsetup|kinit|smbpasswd|passwd|vncpasswd|restic|borg|age|ssh-add|veracrypt|keepassxc-cli|ecryptfs-[a-z-]{4,30}|fscrypt|zfs|su|docker|podman|helm|oras|crane|npm|gh|vault|wrangler|vercel|flyctl|fly|heroku|doppler|gcloud|kubeseal|htpasswd|mkpasswd)";

export const clientPasswordRules: readonly SecretRule[] = [
  ...[...clientPlaces, ...anyProgram].map(
    ({ anchors, before, after = "", masked, left = [] }): SecretRule => ({
      id: "cli-password",
      anchors,
      ...(/^[a-z]/i.test(anchors[0] as string) && !before.startsWith("(?<=")
        ? { isWord: true as const }
        : {}),
      pattern: new RegExp(`${before}${value}${after}`, "y"),
      isGuess: "weak",
      examples: { masked, left },
    }),
  ),
  {
    id: "piped-password",
    anchors: ["echo ", "printf "],
    isWord: true,
    behind: {
      pattern:
        /--passphrase-fd|--password-stdin|--pass(?:word)?-?file[= ]-|-pass(?:in|out)? stdin|luks(?:Open|Format|AddKey)|--key-file[= ]?-|kinit|smbpasswd|vncpasswd|ssh-add|secret put|env add|--data-file=-|passwd --stdin|htpasswd -[a-z]{0,4}i/gi,
      within: 400,
    },
    pattern: new RegExp(
      `(?:echo|printf)(?: -[neE]{1,3}| '%s(?:\\\\n)?'| "%s(?:\\\\n)?"){0,2} ?${value}(?:\\\\n)?(?:${quote})? ?\\| ?(?:sudo )?(?:[A-Z_]{2,30}=[^\\s]{0,60} )?${readers} (?=[^\\n|;]{0,300}(?:--passphrase-fd|--password-stdin|--pass(?:word)?-?file[= ]-|-pass(?:in|out)? stdin|luks|--key-file|kinit|secret|env add|--data-file=-|--stdin|-[a-z]{0,3}[sif]\\b|[\\w@.-]{2,60}))`,
      "y",
    ),
    isGuess: "weak",
    examples: {
      masked: [
        "echo '«lantern-viola-indigo»' | gpg --batch --passphrase-fd 0 -d dump.sql.gpg",
        "echo -n '«velvet ember»' | cryptsetup luksOpen /dev/sdb1 data -",
        "printf '%s' '«velvetember»' | wrangler secret put DB",
      ],
      left: ['echo "$PW" | gpg --passphrase-fd 0 -d x', "echo hello | gpg --encrypt -r ana"],
    },
  },
];
