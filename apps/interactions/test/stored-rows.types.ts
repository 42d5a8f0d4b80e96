// What tests read from the database: rows of the tracker, and counts of a run's rows in the warehouse.

export interface TrackerRow {
  input: object;
  job_id: string;
  networkUsername: string;
  entityType: string;
  status: string;
  stage: string;
  start_fence: number;
  user_company_id: string;
  trigger_user_id: string | null;
  triggered_by: string | null;
  aborted_by: string | null;
  provider_run_id: string | null;
  posts_count: number | null;
  reactions_count: number | null;
  comments_count: number | null;
  left_over_count: number;
  /** Of type bigint, which the driver gives as text. */
  cost_micro_usd: string | null;
  reserved_micro_usd: string;
  cost_due_at: Date | null;
  created_at: Date;
  completed_date: Date | null;
  holds_slot: boolean;
  error: string | null;
}

export interface WarehouseCounts {
  posts: number;
  comments: number;
  reactions: number;
}
