// How a run input of ours becomes the input of the actor `harvestapi~linkedin-profile-posts`, and back to our own id.
import type { ProfileEntity, RunInput } from './run-provider.port.js';

/** Extra field that carries our own id; the actor's input schema allows fields it does not know. */
const correlationField = 'correlationId';

/**
 * Field names and meanings are the actor's. Reposts and quotes are asked for explicitly, so that a change of the
 * actor's defaults changes nothing here.
 */
export function toActorInput(input: RunInput, options: { networkUrl: string; correlationId: string }) {
  return {
    targetUrls: [pageUrl(options.networkUrl, input.entity, input.networkHandle)],
    postedLimit: input.postedLimit,
    maxPosts: input.maxPosts,
    includeQuotePosts: true,
    includeReposts: true,
    scrapeReactions: input.scrapeReactions,
    maxReactions: input.maxReactions,
    scrapeComments: input.scrapeComments,
    maxComments: input.maxComments,
    commentsPostedLimit: input.commentsPostedLimit,
    [correlationField]: options.correlationId,
  };
}

export function correlationIdOf(actorInput: Record<string, unknown>): string | undefined {
  const value = actorInput[correlationField];
  return typeof value === 'string' ? value : undefined;
}

/** Address of a person's or company's page. */
export function pageUrl(networkUrl: string, entity: ProfileEntity, handle: string): string {
  const folder = entity === 'PERSON' ? 'in' : 'company';
  return `${networkUrl.replace(/\/+$/, '')}/${folder}/${encodeURIComponent(handle)}/`;
}
