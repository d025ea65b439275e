// Makes a certificate for a test server, without any tool but node:crypto; Node, tests.

import { generateKeyPairSync, sign, X509Certificate } from "node:crypto";

/** A key and a certificate that is its own authority, in PEM. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OIDS = {
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

/** Valid from yesterday for two days, for the given DNS names. */
export function selfSigned(names: readonly string[]): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, oid(OIDS.commonName), der(0x0c, Buffer.from("Sallyport test")))),
  );
  const alternatives = der(SEQUENCE, ...names.map((name) => der(0x82, Buffer.from(name))));
  const authority = der(SEQUENCE, der(0x01, Buffer.of(0xff)));
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, oid(OIDS.basicConstraints), der(0x01, Buffer.of(0xff)), der(0x04, authority)),
    der(SEQUENCE, oid(OIDS.subjectAltName), der(0x04, alternatives)),
  );
  const algorithm = der(SEQUENCE, oid(OIDS.ecdsaWithSha256));
  const day = 86_400_000;
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    subject,
    der(SEQUENCE, time(Date.now() - day), time(Date.now() + day)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = der(SEQUENCE, toBeSigned, algorithm, der(0x03, Buffer.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: new X509Certificate(certificate).toString(),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

/** UTCTime, YYMMDDhhmmssZ. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
