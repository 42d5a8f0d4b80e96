// Passkeys (WebAuthn). The library is loaded when the first passkey is used: most processes never need it.
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** Characters; answers of browsers have some 1,500. */
export const passkeyAnswerLengthMax = 10_000;

const library = () => import('@simplewebauthn/server');

/** As a browser made it. */
export interface NewPasskey {
  id: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  isSynced: boolean;
}

/** What is read of a passkey that is stored. */
type KnownPasskey = Pick<NewPasskey, 'id' | 'publicKey' | 'signCount' | 'transports'>;

export class Passkeys {
  private readonly rpID: string;
  private readonly origin: string;

  constructor(issuer: string) {
    const { hostname, origin } = new URL(issuer);
    this.rpID = hostname;
    this.origin = origin;
  }

  /** Browsers make passkeys for names of hosts alone. */
  get arePossible(): boolean {
    return isIP(this.rpID.replace(/^\[|\]$/g, '')) === 0;
  }

  /** What a browser needs to make a passkey, as JSON. */
  async creationOptions(
    { id, email }: { id: string; email: string },
    challenge: string,
    present: readonly KnownPasskey[],
  ): Promise<string> {
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: 'Tradewind',
      rpID: this.rpID,
      userName: email,
      userID: new TextEncoder().encode(id),
      challenge: bytesOf(challenge),
      attestationType: 'none',
      excludeCredentials: present.map(descriptorOf),
      // The password comes first, so that a key without a PIN is enough.
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    return JSON.stringify(options);
  }

  /** The passkey that a browser made; undefined for anything else. */
  async created(answer: string, challenge: string): Promise<NewPasskey | undefined> {
    try {
      const response = parse(answer) as RegistrationResponseJSON;
      const { verifyRegistrationResponse } = await library();
      await assertPlainAttestation(response);
      const { registrationInfo: made } = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        requireUserVerification: false,
      });
      if (!made) return undefined;
      const { id, publicKey, counter, transports = [] } = made.credential;
      return {
        id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        signCount: counter,
        transports: knownTransports.filter((one) => transports.includes(one)),
        isSynced: made.credentialDeviceType === 'multiDevice',
      };
    } catch {
      // Anybody may post anything; the library throws for each fault that it finds.
      return undefined;
    }
  }

  /** What a browser needs to use one of these, as JSON. */
  async requestOptions(challenge: string, present: readonly KnownPasskey[]): Promise<string> {
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      rpID: this.rpID,
      challenge: bytesOf(challenge),
      allowCredentials: present.map(descriptorOf),
      userVerification: 'preferred',
    });
    return JSON.stringify(options);
  }

  /** The passkey of these that was used, and its new count; undefined when none was. */
  async used<Passkey extends KnownPasskey>(
    answer: string,
    challenge: string,
    present: readonly Passkey[],
  ): Promise<{ passkey: Passkey; signCount: number } | undefined> {
    try {
      const response = parse(answer) as AuthenticationResponseJSON;
      const passkey = present.find(({ id }) => id === response.id);
      if (!passkey) return undefined;
      const { verifyAuthenticationResponse } = await library();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: this.origin,
        expectedRPID: this.rpID,
        credential: {
          id: passkey.id,
          publicKey: bytesOf(passkey.publicKey),
          counter: passkey.signCount,
        },
        requireUserVerification: false,
      });
      return verified ? { passkey, signCount: authenticationInfo.newCounter } : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * No certificates: nobody asks for them, and to check one the library would read an address that the certificate names.
 */
async function assertPlainAttestation({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(bytesOf(response.attestationObject));
  const format = attestation.get('fmt');
  const isPlain = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  if (!isPlain) throw new Error('an attestation with certificates');
}

function parse(answer: string): unknown {
  if (answer.length > passkeyAnswerLengthMax) throw new RangeError('too long');
  return JSON.parse(answer);
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));

/** As WebAuthn names the ways to a passkey; a browser may know others, which are left out. */
const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const descriptorOf = ({ id, transports }: KnownPasskey) => ({
  id,
  transports: knownTransports.filter((one) => transports.includes(one)),
});
