// Secrets on command lines without a telling option: arguments, here-strings, and what is piped or written.
import type { SecretRule } from "./rule.js";

export const commandLineRules: readonly SecretRule[] = [
  {
    id: "cli-password",
    // Programs that take a secret as an argument without a name.
    anchors: [
      "vault login ",
      "bao login ",
      "net user ",
      "cargo login ",
      "snyk auth ",
      "authtoken ",
      "lftp ",
      "unzip -P",
      "rabbitmqctl ",
      "wpa_passphrase ",
      "mosquitto_",
      "xfreerdp ",
      "ipmitool ",
      "service install ",
      "configure set token ",
    ],
    isWord: true,
    pattern:
      /(?:(?:vault|bao) login (?:-[^\s]{1,60} ){0,4}|net user [^\s]{1,60} (?!\/)|cargo login |snyk auth |(?:add-)?authtoken |lftp [^\n|;]{0,100}?-u ["']?[^\s,"']{1,60},|unzip -P ?|rabbitmqctl (?:add_user|change_password|authenticate_user) [^\s]{1,60} |wpa_passphrase [^\n|;]{1,60} |mosquitto_(?:pub|sub) [^\n|;]{0,200}?-P |xfreerdp [^\n|;]{0,200}?\/p:|ipmitool [^\n|;]{0,200}?-P |service install |configure set token )["']?(?!-|[a-z]+=)(?<secret>[^\s"'\\$]{6,2000})/y,
    isGuess: "password",
    examples: {
      masked: [
        "vault login -address=https://v «q8Zr2LmX5vTn0WbKc3Yd7HsP»",
        "net user ana «Krab!Haven77» /add",
        "lftp -u ana,'«Krab!Haven77»' ftp.corp.example",
        "ngrok config add-authtoken «q8Zr2LmX5vTn0WbKc3Yd7HsP»",
      ],
      left: ["vault login -method=oidc", "net user ana /delete", "lftp -u ana,$PW ftp.corp.example"],
    },
  },
  {
    id: "piped-password",
    // What a program reads as a secret, or a file that is named like one gets.
    anchors: ["echo ", "printf "],
    isWord: true,
    behind: {
      pattern:
        /--password-stdin|--with-token|--stdin|-S\b|passwd|>{1,2} ?[^\s|;&]{0,200}?(?:secret|token|passw|_key|apikey|api-key|\.key|credential)/gi,
      within: 400,
    },
    pattern:
      /(?:echo|printf)(?: -[neE]+| '%s'| "%s")* ?\\{0,3}["']?(?<secret>[^\s"'|\\$]{6,300})(?:\\n)?\\{0,3}["']? ?(?:\|[^\n|;&]{0,160}?(?:--password-stdin|--with-token|--stdin|(?<!ch)passwd)|>{1,2} ?[^\s|;&]{0,200}?(?:secret|token|passw|_key|apikey|api-key|\.key|credential))/iy,
    isGuess: "password",
    examples: {
      masked: [
        "echo '«Krab!Haven77»' | docker login -u ci --password-stdin registry.example",
        "echo -n «q8Zr2LmX5vTn0WbKc3Yd7HsP» > config/secrets/api_token",
        "printf '%s' '«q8Zr2LmX5vTn0WbKc3Yd7HsP»' | gh auth login --with-token",
      ],
      left: ["echo $PW | docker login --password-stdin", "echo done > token.log"],
    },
  },
  {
    id: "piped-password",
    // A here-string that is read into a variable of a telling name.
    anchors: ["<<< "],
    pattern:
      /<<< ["']?(?<=(?:PASS\w{0,20}|PW|PWD|TOKEN|SECRET|KEY|pass\w{0,20}|pw|token|secret|passwd|--stdin|--with-token|--password-stdin) {1,2}<<< ["']?)(?<secret>[^\s"'$]{6,300})/y,
    isGuess: "password",
    examples: {
      masked: ["read -r DB_PASSWORD <<< '«Krab!Haven77»'"],
      left: ["read -r LINE <<< 'some2Words'"],
    },
  },
  {
    id: "bundler-password",
    // Bundler keeps the user and the password of a gem server under its host name.
    anchors: ["BUNDLE_"],
    pattern: /BUNDLE_[A-Z0-9_]{3,80}__[A-Z]{2,12} ?[:=] ?["']?[^\s:"'$]{1,80}:(?<secret>[^\s"';&$]{6,200})/y,
    isGuess: "weak",
    examples: {
      masked: ["export BUNDLE_GEMS__VENDOR__COM=cafebabe:«deadbeef»"],
      left: ["BUNDLE_GEMS__VENDOR__COM=user:password"],
    },
  },
];
