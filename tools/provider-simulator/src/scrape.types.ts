export interface ProfileScrapeRequest {
  username: string;
  webhookUrl: string;
  webhookHeaders: Record<string, string>;
  correlationId: string | undefined;
}

export interface Scrape extends ProfileScrapeRequest {
  id: string;
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  createdAt: Date;
  finishedAt: Date | null;
  timer: NodeJS.Timeout | undefined;
}
