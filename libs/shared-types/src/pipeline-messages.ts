// class-transformer reads types through it, also where no Nest has loaded it.
import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ArrayMinSize, IsArray, Matches, ValidateNested } from 'class-validator';
import { NetworkUsername } from './network-username-fields.js';

/** Topic that the coordinator publishes to and priority-api receives from (pipelines.md, Coordinator job). */
export const profileBatchTopic = 'network-scraping-batches';

/** Constant `requestType` of the priority pipeline in the table of scraped-profile calls. */
export const profileRequestType = 'SCRAPER_API_PERSON';

/**
 * Bucket of the monthly profile backups (pipelines.md, Object storage backup), unless a deployment sets another one:
 * bucket names are unique across all of Cloud Storage.
 */
export const profileBackupBucket = 'scraper-monthly-priority-people';

/** The form of a UUID, whatever its version and variant say. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One profile to scrape. */
export class ProfileReference {
  /** Handle as in the profile URL, normalised. */
  @NetworkUsername()
  network_username!: string;

  /** Any UUID that PostgreSQL takes, also one of no RFC version. */
  @Matches(uuidPattern, { message: 'person_id must be a UUID' })
  person_id!: string;
}

/** Profile batch message: the JSON that a queue message carries in base64. */
export class ProfileBatchMessage {
  @IsArray()
  @ArrayMinSize(1)
  @ValidateNested({ each: true })
  @Type(() => ProfileReference)
  profiles!: ProfileReference[];
}

/** The push envelope as Pub/Sub sends it: both spellings of id and time, and the subscription's name. */
export interface PushEnvelope {
  message: {
    /** Base64 of the message body; empty text for a message of attributes only. */
    data: string;
    attributes: Record<string, string>;
    messageId: string;
    message_id: string;
    /** ISO 8601, UTC. */
    publishTime: string;
    publish_time: string;
    orderingKey?: string;
  };
  subscription: string;
  /** Present when the subscription has a dead-letter policy. */
  deliveryAttempt?: number;
}
