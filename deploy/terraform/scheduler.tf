# The monthly run, where the scheduler and not a CronJob starts it. The coordinator's month key makes a repeated call harmless.
locals {
  scheduled = var.scheduler_audience == "" ? 0 : 1
}

resource "google_service_account" "scheduler" {
  count = local.scheduled

  account_id   = "tw-scheduler-${var.environment}"
  display_name = "Signs the monthly call to the coordinator"
}

resource "google_cloud_scheduler_job" "monthly_run" {
  count = local.scheduled

  name             = "tradewind-monthly-run-${var.environment}"
  region           = var.region
  schedule         = var.monthly_schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "60s"

  retry_config {
    retry_count          = 5
    min_backoff_duration = "60s"
    max_backoff_duration = "3600s"
  }

  http_target {
    http_method = "POST"
    uri         = var.scheduler_audience
    body        = base64encode("{}")

    headers = {
      "Content-Type" = "application/json"
    }

    oidc_token {
      service_account_email = google_service_account.scheduler[0].email
      audience              = var.scheduler_audience
    }
  }
}
