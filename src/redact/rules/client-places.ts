// Where programs expect a password on their command lines: whatever stands there is one, so it may be
// a word, or several in quotes.
// Over 300 lines: one table of clients.
export const quote = "\\\\{0,3}[\"']";
/** The value, in quotes or up to a blank; not an option, a variable or a file. */
export const value = `(?:${quote})?(?![-$@<:]|%[A-Z]|(?:file|env|fd|pass):|[a-z]{2,12}://)(?<secret>(?<=["'])[^"'\\n\\\\]{4,200}(?=${quote})|(?<!["'])[^\\s"'\\\\|;&<>()]{4,300}|(?<=["'])[^\\s"'\\\\|;&]{4,300}(?=\\s|$))`;
/** Other arguments before it. */
const args = "(?:[^\\n|;]|\\\\\\n){0,400}?";

export interface ClientPlace {
  /** Begins the command line: every match contains one of them. */
  anchors: readonly string[];
  /** From the anchor up to the value. */
  before: string;
  /** What follows the value. */
  after?: string;
  masked: readonly string[];
  left?: readonly string[];
}

export const clientPlaces: readonly ClientPlace[] = [
  {
    anchors: [
      "ldapsearch ",
      "ldapadd ",
      "ldapmodify ",
      "ldapdelete ",
      "ldapwhoami ",
      "ldappasswd ",
      "ldapmodrdn ",
    ],
    before: `ldap[a-z]{3,7} ${args}(?<= )-w ?`,
    masked: ["ldapsearch -x -H ldaps://dc1 -D \"cn=svc,dc=corp\" -w «XDN.WHd0xq94» -b dc=corp '(uid=ana)'"],
    left: ['ldapsearch -x -D "cn=svc" -w "$PW" -b dc=corp', "ldapsearch -x -W -b dc=corp"],
  },
  ...["A", "X"].map(
    (option): ClientPlace => ({
      anchors: [
        "snmpwalk ",
        "snmpget ",
        "snmpset ",
        "snmpbulkwalk ",
        "snmpbulkget ",
        "snmptrap ",
        "snmptable ",
      ],
      before: `snmp[a-z]{3,9} ${args}(?<= )-${option} `,
      masked: [`snmpwalk -v3 -l authPriv -u mon -a SHA -${option} «velvetember» 10.0.0.4 IF-MIB`],
      left: [`snmpwalk -v3 -${option} "$PASS" 10.0.0.4`],
    }),
  ),
  {
    anchors: ["radtest "],
    before: "radtest (?:-[a-z0-9] ?(?:[a-z]{3,10} )?){0,3}[^\\s]{1,80} ",
    after: " [^\\s]{1,80} \\d",
    masked: ["radtest -t mschap ana@corp.example «velvetember» 10.0.0.4:1812 0 $SHARED"],
  },
  {
    anchors: ["radtest "],
    before: "radtest (?:-[a-z0-9] ?(?:[a-z]{3,10} )?){0,3}[^\\s]{1,80} [^\\s]{1,200} [^\\s]{1,80} \\d{1,6} ",
    masked: ["radtest ana $PW 10.0.0.4 0 «canyonraven»"],
  },
  {
    anchors: ["bundle config "],
    before:
      "bundle config (?:set )?(?:--[a-z]{4,8} ){0,2}[a-z0-9-]{1,60}(?:\\.[a-z0-9-]{1,60}){1,5} [^\\s:]{1,80}:",
    masked: ["bundle config set --global gems.corp.example 0255d211:«cb76a02b» && bundle install"],
  },
  {
    anchors: ["nmcli "],
    before: `nmcli ${args}(?:password|wifi-sec\\.psk|wireless-security\\.psk|wep-key0) (?!wep-)`,
    masked: ['nmcli dev wifi connect "Gasthuis 5" password "«mosaic mitten 89»" ifname wlp3s0'],
    left: ["nmcli dev wifi connect home --ask"],
  },
  {
    anchors: ["networksetup -setairportnetwork ", "wpa_passphrase "],
    before:
      '(?:networksetup -setairportnetwork [a-z0-9]{2,6}|wpa_passphrase) (?:"[^"\\n]{1,40}"|[^\\s"]{1,40}) ',
    masked: ['networksetup -setairportnetwork en0 "Gasthuis 5" «mosaicmitten»'],
  },
  {
    anchors: ["gpg ", "gpg2 "],
    before: `gpg2? ${args}--passphrase[ =]`,
    masked: ["gpg --batch --passphrase «velvetember» -d db.sql.gpg"],
    left: ['gpg --batch --passphrase "$PW" -d x', "gpg --passphrase-fd 0 -d x"],
  },
  {
    anchors: ["openssl passwd "],
    before: "openssl passwd (?:-(?:1|5|6|apr1|crypt|quiet|noverify|salt [^\\s]{1,40}) ){0,4}",
    masked: ["useradd -m -p $(openssl passwd -6 «velvetember») ana"],
    left: ["openssl passwd -6 -stdin"],
  },
  {
    anchors: ["openssl "],
    before: `openssl [a-z0-9]{2,10} ${args}(?:-(?:pass|passin|passout) pass:|(?<= )-k )`,
    masked: ["openssl enc -aes-256-cbc -pbkdf2 -in a -out b -pass pass:«velvetember»"],
    left: ["openssl rsa -in a -passin pass:password", "openssl enc -pass pass:$PW -in a"],
  },
  {
    anchors: ["zip ", "unzip ", "7z ", "7za ", "7zz ", "rar ", "unrar "],
    before: `(?:(?:un)?zip [^\\n|;]{0,200}?-P ?|7z[az]? [^\\n|;]{0,200}?(?<= )-p|(?:un)?rar [^\\n|;]{0,200}?(?<= )-h?p)`,
    masked: [
      "7z a -t7z -mhe=on -p«velvetember» backup.7z /srv",
      "zip -er -P «velvetember» out.zip dir",
      "unrar x -p«velvetember» a.rar",
    ],
    left: ["7z x archive-2024.7z -o/srv", "zip -r out.zip src", "7z a -p$PW b.7z c"],
  },
  {
    anchors: ["redis-cli ", "valkey-cli "],
    before: `(?:redis|valkey)-cli ${args}(?<= )(?:-a|--pass) `,
    masked: ["redis-cli -h cache -a «velvetember» PING"],
    left: ['redis-cli -a "$PW" PING'],
  },
  {
    anchors: [
      "mysql ",
      "mysqldump ",
      "mysqladmin ",
      "mysqlimport ",
      "mysqlsh ",
      "mariadb ",
      "mariadb-dump ",
      "mariadb-admin ",
    ],
    before: "(?:mysql|mariadb)[a-z-]{0,8} (?:[^\\n\"'|;]{0,200}? )?-p(?!ort|rotocol|lugin)",
    masked: ["mysqldump -h db -u shop -p«velvetember» shop | gzip > a.gz"],
    left: ["mysql -u root -p shop", "mysql -u root -ppassword shop", "mysql -u root -p$PW shop"],
  },
  {
    anchors: ["mysqladmin "],
    before: "mysqladmin (?:-[^\\s]{1,80} (?:(?!password )[^\\s-][^\\s]{0,60} )?){0,6}password ",
    masked: ["mysqladmin -u root password '«velvet ember»'"],
  },
  {
    anchors: ["sshpass "],
    before: "sshpass -p ?",
    masked: ["sshpass -p '«velvet ember»' ssh ana@10.0.0.4", "sshpass -p«velvetember» scp a b:"],
    left: ['sshpass -p "$PW" ssh a@b', "sshpass -p password ssh a@b"],
  },
  {
    anchors: ["htpasswd "],
    before:
      "htpasswd (?:-[a-zA-Z0-9]{1,8} ){0,4}?-[a-zA-Z]{0,6}b[a-zA-Z]{0,6} (?:-[a-zA-Z0-9]{1,4} (?:\\d{1,2} )?){0,3}(?:[^\\s]{1,200} )?[^\\s/.]{1,60} ",
    masked: ["htpasswd -nbB ana «velvetember» > users", "htpasswd -b -B /etc/users ana «velvetember»"],
    left: ["htpasswd -nbB ana $PW"],
  },
  {
    anchors: [
      "smbclient ",
      "mount.cifs ",
      "rpcclient ",
      "net rpc ",
      "net ads ",
      "winexe ",
      "wbinfo ",
      "smbmap ",
      "nmblookup ",
    ],
    before: `[a-z.]{3,10} ${args}(?<= )(?:-U|-a|--user(?:name)?)[ =]?["']?[^\\s%"']{1,60}%`,
    masked: ["smbclient //nas/share -U 'CORP\\svc%«velvetember»' -c ls".replaceAll("\\", "/")],
    left: ["smbclient //nas/share -U svc%$PW"],
  },
  {
    anchors: ["curl "],
    before: `curl ${args}(?<= )(?:-u|--user|--proxy-user|-U)[ =]{0,4}["']?(?!\\$)[^\\s:"'$/]{1,60}:`,
    masked: ["curl -s -u ana:«velvetember» https://nexus.corp.example/"],
    left: [
      "curl -u user:password https://a.example",
      "curl -u ana:$PW https://a.example",
      "curl -u $U:$PW https://a",
    ],
  },
  {
    anchors: ["http -a ", "https -a ", "xh -a "],
    before: "[a-z]{2,5} -a [^\\s:]{1,60}:",
    masked: ["http -a ana:«velvetember» GET :8080/items"],
  },
  {
    anchors: [
      "docker login ",
      "podman login ",
      "nerdctl login ",
      "buildah login ",
      "skopeo login ",
      "oc login ",
      "az login ",
      "helm registry login ",
      "crane auth login ",
      "oras login ",
      "az acr login ",
    ],
    before: `login ${args}(?<= )(?:-p|--password)[ =]`.replace("login", "[a-z]{2,8}(?: [a-z]{3,8})? login"),
    masked: [
      "docker login -u ci -p «velvetember» registry.corp.example",
      "az login --service-principal -u 12 -p «velvetember» --tenant t",
    ],
    left: ['docker login -u ci -p "$PW" r', "docker login --password-stdin -u ci r"],
  },
  {
    anchors: [
      "sqlcmd ",
      "bcp ",
      "tsql ",
      "isql ",
      "osql ",
      "ipmitool ",
      "mosquitto_pub ",
      "mosquitto_sub ",
      "xcrun altool ",
      "psexec ",
      "plink ",
      "pscp ",
      "psftp ",
      "rdesktop ",
      "evil-winrm ",
      "netexec ",
      "nxc ",
      "crackmapexec ",
      "mongosh ",
      "mongodump ",
      "mongorestore ",
      "mongo ",
      "cqlsh ",
      "beeline ",
      "ncftpput ",
      "ncftpget ",
      "vncviewer ",
      "influx ",
    ],
    before: `(?:(?:sqlcmd|bcp|tsql|[io]sql|ipmitool|mosquitto_[ps]ub) ${args}(?<= )-P ?|(?:plink|ps(?:cp|ftp)) ${args}-pw |(?:xcrun altool|psexec|rdesktop|evil-winrm|netexec|nxc|crackmapexec|mongosh|mongo(?:dump|restore)?|cqlsh|beeline|ncftp(?:put|get)|influx) ${args}(?<= )(?:-p|-password|--password) )`,
    masked: [
      "sqlcmd -S db -U sa -P «velvetember» -Q x",
      "plink -ssh ana@10.0.0.4 -pw «velvetember» uptime",
      "xcrun altool --upload-app -u ana@corp.example -p «velvet-ember»",
    ],
    left: ["xcrun altool --upload-app -p @keychain:AC", "mongosh -u ana -p", "sqlcmd -S db -U sa -P $PW"],
  },
  {
    anchors: [
      "security unlock-keychain ",
      "security create-keychain ",
      "security set-key-partition-list ",
      "security add-generic-password ",
      "security add-internet-password ",
      "security import ",
    ],
    before: `security (?:(?:unlock|create)-keychain ${args}(?<= )-p |set-key-partition-list ${args}(?<= )-k |add-[a-z]{7,8}-password ${args}(?<= )-w |import ${args}(?<= )-P )`,
    masked: [
      "security unlock-keychain -p «velvetember» ~/ci.keychain",
      "security import c.p12 -k ci -P '«velvet ember»' -A",
    ],
    left: ['security unlock-keychain -p "$PW" ci'],
  },
  {
    anchors: ["keytool ", "jarsigner ", "apksigner "],
    before: `(?:keytool|jarsigner|apksigner) ${args}(?:(?<= )-(?:src|dest)?(?:store|key)pass |--(?:ks|key)-pass pass:)`,
    masked: [
      "keytool -genkeypair -alias app -storepass «velvetember» -keystore a.jks",
      "apksigner sign --ks a.jks --ks-pass pass:«velvetember» a.apk",
    ],
    left: ["keytool -list -storepass changeit -keystore a.jks", "keytool -list -storepass $PW"],
  },
  {
    anchors: ["keytool ", "jarsigner ", "apksigner "],
    before: `(?:keytool|jarsigner|apksigner) ${args}(?:(?<= )-(?:dest)?keypass |--key-pass pass:)`,
    masked: ["keytool -genkeypair -storepass $PW -keypass «velvetember» -keystore a.jks"],
  },
  {
    anchors: ["ssh-keygen "],
    before: "ssh-keygen [^\\n|;]{0,200}?-N ",
    masked: ['ssh-keygen -t ed25519 -f k -N "«velvet ember»"'],
    left: ['ssh-keygen -t ed25519 -N "" -f k', 'ssh-keygen -N "$PW" -f k'],
  },
  {
    anchors: ["--from-literal"],
    before:
      "--from-literal[= ][\"']?(?!user(?:name)?=|host(?:name)?=|port=|url=|region=|bucket=|email=|database=|db=|name=|endpoint=)[\\w.-]{1,80}=",
    masked: [
      "kubectl create secret generic db --from-literal=password=«velvetember»",
      "--from-literal=pw='«velvet ember»'",
    ],
    left: [
      "--from-literal=username=shop-reader",
      "--from-literal=password=$PW",
      '--from-literal=password="$PW"',
    ],
  },
  {
    anchors: [
      "az keyvault secret set ",
      "aws ssm put-parameter ",
      "aws secretsmanager ",
      "gh secret set ",
      "pulumi config set ",
      "consul kv put ",
      "rclone obscure ",
    ],
    before: `(?:az keyvault secret set ${args}--value[ =]|aws ssm put-parameter ${args}SecureString ${args}--value[ =]|aws secretsmanager ${args}--secret-string[ =]|gh secret set ${args}(?:-b|--body)[ =]|pulumi config set ${args}--secret (?:[\\w:.-]{1,80} )?|consul kv put [^\\s]{0,80}(?:passw|secret|token)[^\\s]{0,40} |rclone obscure )`,
    masked: [
      "az keyvault secret set --vault-name kv --name db --value «velvetember»",
      "rclone obscure «velvetember»",
      "gh secret set DB_PW -b '«velvet ember»' -R a/b",
    ],
    left: [
      'aws secretsmanager create-secret --name a --secret-string "$PW"',
      "aws secretsmanager create-secret --name a --secret-string file://pw.json",
    ],
  },
  {
    anchors: ["rtmp://", "rtmps://", "srt://"],
    before:
      "rtmps?://[^\\s/\"'@]{3,100}/(?:[a-z0-9_-]{2,20}/)?(?:live2?|app|rtmp|broadcast|ingest)/(?=[^\\s\"']{0,60}\\d)",
    masked: ["ffmpeg -i in.mp4 -f flv rtmp://a.rtmp.youtube.com/live2/«htwf-8as5-v0y3-ssao-n3ef»"],
    left: ["rtmp://localhost/live/$KEY", "rtmp://localhost/live/stream"],
  },
  {
    anchors: ["net user ", "rabbitmqctl ", "xfreerdp ", "wfreerdp ", "freerdp ", "sdl-freerdp "],
    before: `(?:net user [^\\s/]{1,60} (?!/)|rabbitmqctl (?:add_user|change_password|authenticate_user) [^\\s]{1,60} |[a-z-]{0,5}freerdp ${args}/p:)`,
    masked: [
      "net user ana \u00abvelvetember\u00bb /add",
      "rabbitmqctl add_user ana \u00abvelvetember\u00bb",
      "xfreerdp /u:ana /p:\u00abvelvetember\u00bb /v:h",
    ],
    left: ["net user ana /delete", "net user ana $PW /add"],
  },
  {
    anchors: ["net use ", "cmdkey "],
    before:
      "(?:net use [^\\n]{0,120}?/user:[^\\s]{1,80} |net use [A-Z]: [^\\s]{3,120} (?!/)|cmdkey [^\\n]{0,160}?/pass:)(?!/)",
    masked: [
      "net use Z: //nas/x /user:ana \u00abvelvetember\u00bb",
      "cmdkey /add:nas /user:ana /pass:\u00abvelvetember\u00bb",
    ],
    left: ["net use Z: /delete"],
  },
  {
    anchors: ["snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "],
    before: `snmp[a-z]{3,9} ${args}(?<= )-c ?(?!public|private)`,
    masked: ["snmpwalk -v2c -c \u00abvelvetember\u00bb 10.0.0.4"],
    left: ["snmpwalk -v2c -c public 10.0.0.4"],
  },
  {
    anchors: ["twine upload ", "az ", "sqlplus ", "expdp ", "impdp ", "sqlldr ", "rman "],
    before: `(?:twine upload ${args}(?<= )-p |az [a-z-]{2,20} ${args}(?<= )(?:-p|--[a-z-]{0,20}password)[ =]|(?:sqlplus|expdp|impdp|sqlldr)(?: -[A-Za-z]{1,8}){0,2} [^\\s/]{1,60}/)`,
    masked: [
      "twine upload -u ana -p \u00abvelvetember\u00bb dist/*",
      "impdp system/\u00abvelvetember\u00bb directory=d",
      "az sql server create -n s -u ana -p \u00abvelvetember\u00bb",
    ],
    left: ["sqlplus / as sysdba", "twine upload -u ana -p $PW"],
  },
  {
    anchors: ["mkpasswd ", "caddy hash-password ", "wpa_cli ", "drush user:password "],
    before:
      "(?:mkpasswd (?:-m [a-z0-9-]{3,12} |--method=[^\\s]{3,12} )?|caddy hash-password (?:-p|--plaintext) |wpa_cli [^\\n|;]{0,60}psk '?(?=\")|drush user:password [^\\s]{1,60} )",
    masked: [
      "mkpasswd -m sha-512 \u00abvelvetember\u00bb",
      "drush user:password admin '\u00abvelvetember\u00bb'",
    ],
    left: ["mkpasswd --stdin"],
  },
  {
    anchors: ["samba-tool user "],
    before: "samba-tool user (?:create|add|setpassword) [^\\s]{1,60} (?:--newpassword=)?",
    masked: ["samba-tool user create ana «velvetember»"],
    left: ["samba-tool user create ana --random-password"],
  },
  {
    anchors: ["ConvertTo-SecureString "],
    before: "ConvertTo-SecureString (?:-(?:String|AsPlainText|Force) ){0,3}",
    masked: [
      "$p = ConvertTo-SecureString '«velvet ember»' -AsPlainText -Force",
      'ConvertTo-SecureString -AsPlainText -Force -String "«velvetember»"',
    ],
    left: ["ConvertTo-SecureString $plain -AsPlainText -Force"],
  },
  {
    anchors: ["setx ", "launchctl setenv "],
    before: `(?:setx|launchctl setenv) (?:/m )?["']?[A-Z0-9_]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|TOKEN|SECRET|API_?KEY|ACCESS_KEY)[A-Z0-9_]{0,10}["']? `,
    masked: ['setx DB_PASSWORD "«velvetember»" /M'],
    left: ["setx DB_PASSWORD %PW%"],
  },
  {
    anchors: ["cmd wifi connect-network ", "netsh wlan "],
    before:
      '(?:cmd wifi connect-network (?:"[^"\\n]{1,40}"|[^\\s"]{1,40}) wpa[23] |netsh wlan [^\\n|;]{0,200}?key(?:Material)?=)',
    masked: ["adb shell cmd wifi connect-network Gasthuis wpa2 «mosaicmitten»"],
  },
];
