// The keys of an encrypted connection, from the files that `acey keygen` writes. A key is 32 bytes as
// Z85 (ZeroMQ RFC 32): five characters are four bytes.

import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const DIGITS =
  "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const PKCS8_X25519 = Buffer.from("302e020100300506032b656e04220420", "hex");

function decode(text) {
  const bytes = Buffer.alloc(32);
  for (let word = 0; word < 8; word++) {
    let value = 0;
    for (const digit of text.slice(5 * word, 5 * word + 5)) value = 85 * value + DIGITS.indexOf(digit);
    bytes.writeUInt32BE(value, 4 * word);
  }
  return bytes;
}

function encode(bytes) {
  let text = "";
  for (let word = 0; word < 8; word++) {
    const value = bytes.readUInt32BE(4 * word);
    for (let place = 4; place >= 0; place--) text += DIGITS[Math.floor(value / 85 ** place) % 85];
  }
  return text;
}

/** The public key that belongs to a secret one. */
function publicKey(secret) {
  const key = Buffer.concat([PKCS8_X25519, decode(secret)]);
  const pair = createPublicKey(createPrivateKey({ key, format: "der", type: "pkcs8" }));
  return encode(Buffer.from(pair.export({ format: "jwk" }).x, "base64url"));
}

function read(folder, file) {
  const path = join(folder, file);
  const key = readFileSync(path, "utf8").trim();
  if (key.length !== 40 || [...key].some((digit) => !DIGITS.includes(digit)))
    throw new Error(`${path}: no key of CURVE can be read there`);
  return key;
}

/** What a socket needs to be told: the server's key in a folder, and those of one of its clients. */
export function curveKeys(folder, client) {
  const secret = read(folder, `${client}.secret`);
  return {
    curveServerKey: read(folder, "server.public"),
    curvePublicKey: publicKey(secret),
    curveSecretKey: secret,
  };
}
