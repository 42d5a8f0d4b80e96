# One account per service, used through workload identity, and one for the queue, which calls priority-api.
locals {
  services = toset(["identity", "graphql-gateway", "interactions", "priority-api", "priority-webhook", "coordinator"])
}

resource "google_service_account" "service" {
  for_each = local.services

  account_id   = "tw-${each.key}-${var.environment}"
  display_name = "Tradewind ${each.key}, ${var.environment}"
}

resource "google_service_account_iam_member" "workload_identity" {
  for_each = local.services

  service_account_id = google_service_account.service[each.key].name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project}.svc.id.goog[${var.kubernetes_namespace}/${each.key}-service]"
}

resource "google_service_account" "push" {
  account_id   = "tw-queue-push-${var.environment}"
  display_name = "Signs the pushes of the queue to priority-api"
}
