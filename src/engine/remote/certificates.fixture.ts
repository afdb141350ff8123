import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Who signs certificates. */
export type Authority = { name: string; key: KeyObject; pem: string };
export type Certificate = { key: string; cert: string };

const year = 365 * 86_400_000;
const ecdsaWithSha256 = '2a8648ce3d040302';
const commonName = '550403';
const basicConstraints = '551d13';
const subjectAltName = '551d11';

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const text = (value: string) => tlv(0x0c, Buffer.from(value));
const nameOf = (value: string) => sequence(tlv(0x31, sequence(oid(commonName), text(value))));
const timeOf = (ms: number) =>
  tlv(
    0x17,
    Buffer.from(
      `${new Date(ms)
        .toISOString()
        .replace(/[-:T]|\..*/g, '')
        .slice(2)}Z`,
    ),
  );
const bits = (value: Buffer) => tlv(0x03, Buffer.from([0]), value);
const extension = (id: string, value: Buffer) => sequence(oid(id), tlv(0x04, value));

type Wanted = {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  extension: Buffer;
  untilMs: number;
};

/** X.509 as far as TLS looks at it, signed with ECDSA. */
function issue({ subject, issuer, publicKey, signer, extension, untilMs }: Wanted): string {
  const algorithm = sequence(oid(ecdsaWithSha256));
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ...[algorithm, nameOf(issuer), sequence(timeOf(untilMs - 2 * year), timeOf(untilMs)), nameOf(subject)],
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension)),
  );
  const whole = sequence(signed, algorithm, bits(sign('sha256', signed, signer)));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export function makeAuthority(name: string): Authority {
  const { publicKey, privateKey } = newKeys();
  const isAuthority = extension(basicConstraints, sequence(tlv(0x01, Buffer.from([0xff]))));
  const pem = issue({
    subject: name,
    issuer: name,
    publicKey,
    signer: privateKey,
    extension: isAuthority,
    untilMs: Date.now() + year,
  });
  return { name, key: privateKey, pem };
}

/** For a server at an address of four numbers. */
export function makeCertificate(
  { name, key }: Authority,
  { address = '127.0.0.1', untilMs = Date.now() + year } = {},
): Certificate {
  const { publicKey, privateKey } = newKeys();
  const place = tlv(0x87, Buffer.from(address.split('.').map(Number)));
  const cert = issue({
    subject: 'engine',
    issuer: name,
    publicKey,
    signer: key,
    untilMs,
    extension: extension(subjectAltName, sequence(place)),
  });
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
