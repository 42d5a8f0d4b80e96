data "google_project" "this" {
  project_id = var.project
}

locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_topic" "batches" {
  name                       = "network-scraping-batches"
  message_retention_duration = "604800s"
}

resource "google_pubsub_topic" "dead_letter" {
  name                       = "network-scraping-batches-dead-letter"
  message_retention_duration = "2678400s"
}

# A dead letter without a subscription would be lost.
resource "google_pubsub_subscription" "dead_letter" {
  name                       = "network-scraping-batches-dead-letter"
  topic                      = google_pubsub_topic.dead_letter.id
  message_retention_duration = "2678400s"

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_subscription" "push" {
  name  = "network-scraping-batches-push"
  topic = google_pubsub_topic.batches.id

  # priority-api answers well within this; what takes longer goes on in its background.
  ack_deadline_seconds       = 60
  message_retention_duration = "604800s"

  push_config {
    push_endpoint = "https://${var.hosts["priority-api"]}/batch-trigger/"

    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = "https://${var.hosts["priority-api"]}/batch-trigger/"
    }
  }

  retry_policy {
    minimum_backoff = "1s"
    maximum_backoff = "600s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letter.id
    max_delivery_attempts = 100
  }

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_topic_iam_member" "coordinator_publishes" {
  topic  = google_pubsub_topic.batches.id
  role   = "roles/pubsub.publisher"
  member = google_service_account.service["coordinator"].member
}

# The readiness probe looks the topic up.
resource "google_pubsub_topic_iam_member" "coordinator_views" {
  topic  = google_pubsub_topic.batches.id
  role   = "roles/pubsub.viewer"
  member = google_service_account.service["coordinator"].member
}

resource "google_pubsub_topic_iam_member" "agent_publishes_dead_letters" {
  topic  = google_pubsub_topic.dead_letter.id
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "agent_acknowledges" {
  subscription = google_pubsub_subscription.push.id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

resource "google_service_account_iam_member" "agent_signs_pushes" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}
