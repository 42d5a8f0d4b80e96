// Whether a caller holds the key that its token is bound to (DPoP, RFC 9449). A proof is good for one method and
// address, and for a short time. Within it the same proof is accepted again, as the RFC allows.
import { createHash } from 'node:crypto';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify, type JWTVerifyResult } from 'jose';
import { clockToleranceSeconds } from './issuer-keys.js';

/** What an authentication reads of a request. */
export type PresentedRequest = Pick<FastifyRequest, 'headers' | 'method' | 'protocol' | 'host' | 'url'>;

const algorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'];
// A client makes a proof for each request. It must survive a slow network, and a thief must not keep it.
const proofAgeMax = '60s';

/**
 * Throws 401 unless the header `DPoP` holds a proof for this request and token, made with the key of the token.
 * @param confirmation the claim `cnf` of the token. Only `jkt` is known; a token that is bound otherwise is refused.
 */
export async function assertHoldsKey(request: PresentedRequest, token: string, confirmation: unknown): Promise<void> {
  const proof = request.headers['dpop'];
  const thumbprint = (confirmation as { jkt?: unknown } | undefined)?.jkt;
  if (typeof thumbprint !== 'string' || typeof proof !== 'string' || !/^DPoP /i.test(request.headers.authorization!)) {
    throw refused(
      'invalid_token',
      'The token and the way it is presented do not fit: DPoP needs a bound token and a proof',
    );
  }
  const { payload, protectedHeader } = await verified(proof);
  const isOfThisRequest =
    payload['htm'] === request.method &&
    addressOf(payload['htu']) === addressOf(`${request.protocol}://${request.host}${request.url}`) &&
    payload['ath'] === createHash('sha256').update(token).digest('base64url');
  // EmbeddedJWK has verified the proof with this key.
  const isOfThisKey = (await calculateJwkThumbprint(protectedHeader.jwk!)) === thumbprint;
  if (!isOfThisRequest || !isOfThisKey) throw badProof();
}

async function verified(proof: string): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms,
      maxTokenAge: proofAgeMax,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['jti'],
    });
  } catch (error) {
    // The proof brings its own key, so whatever fails here is a fault of the proof: an impossible key is no JOSEError.
    throw badProof(error);
  }
}

/** Without query and fragment, which a proof leaves out. */
function addressOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const badProof = (cause?: unknown) =>
  refused('invalid_dpop_proof', 'The DPoP proof is not valid for this request', cause);

function refused(error: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message,
    headers: { 'www-authenticate': `DPoP error="${error}", algs="${algorithms.join(' ')}"` },
    cause,
  });
}
