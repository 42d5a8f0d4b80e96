# Snapshots of the search indexes (docs/runbooks/search-cluster.md). The nodes write them as an account of their own, through
# workload identity. The indexes can always be built again from PostgreSQL, so nothing is kept for long.
locals {
  snapshots = var.opensearch_snapshot_bucket == "" ? 0 : 1
}

resource "google_storage_bucket" "opensearch_snapshots" {
  count = local.snapshots

  name                        = var.opensearch_snapshot_bucket
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
}

resource "google_service_account" "opensearch" {
  count = local.snapshots

  account_id   = "tw-opensearch-${var.environment}"
  display_name = "Tradewind OpenSearch, ${var.environment}"
}

resource "google_service_account_iam_member" "opensearch_identity" {
  count = local.snapshots

  service_account_id = google_service_account.opensearch[0].name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project}.svc.id.goog[${var.kubernetes_namespace}/opensearch]"
}

# OpenSearch deletes what no snapshot needs any more.
resource "google_storage_bucket_iam_member" "opensearch_snapshots" {
  count = local.snapshots

  bucket = google_storage_bucket.opensearch_snapshots[0].name
  role   = "roles/storage.objectAdmin"
  member = google_service_account.opensearch[0].member
}
