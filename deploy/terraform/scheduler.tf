# The monthly run. The coordinator's month key makes a repeated call harmless.
resource "google_cloud_scheduler_job" "monthly_run" {
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
    uri         = "${var.coordinator_url}/run"
    body        = base64encode("{}")

    headers = {
      "Content-Type" = "application/json"
    }

    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = "${var.coordinator_url}/run"
    }
  }
}
