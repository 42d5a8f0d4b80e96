resource "google_storage_bucket" "profile_backups" {
  name                        = var.profile_backup_bucket
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  retention_policy {
    retention_period = var.backup_retention_days * 86400
  }

  lifecycle_rule {
    condition {
      age = 60
    }

    action {
      type          = "SetStorageClass"
      storage_class = "NEARLINE"
    }
  }

  lifecycle_rule {
    condition {
      age = var.backup_retention_days + 1
    }

    action {
      type = "Delete"
    }
  }
}

# Create and read, not delete or overwrite.
resource "google_storage_bucket_iam_member" "webhook_creates" {
  bucket = google_storage_bucket.profile_backups.name
  role   = "roles/storage.objectCreator"
  member = google_service_account.service["priority-webhook"].member
}

resource "google_storage_bucket_iam_member" "webhook_reads" {
  bucket = google_storage_bucket.profile_backups.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.service["priority-webhook"].member
}
