output "push_service_account" {
  description = "PUSH_SERVICE_ACCOUNT of priority-api"
  value       = google_service_account.push.email
}

output "scheduler_service_account" {
  description = "SCHEDULER_SERVICE_ACCOUNT of coordinator"
  value       = google_service_account.scheduler.email
}

output "bigquery_dataset" {
  description = "BIGQUERY_DATASET of the services that use the warehouse"
  value       = google_bigquery_dataset.warehouse.dataset_id
}

output "profile_backup_bucket" {
  description = "Bucket of the profile backups"
  value       = google_storage_bucket.profile_backups.name
}

output "database_url_secrets" {
  description = "Secret Manager ids of each service's DATABASE_URL"
  value       = { for service, secret in google_secret_manager_secret.database_url : service => secret.secret_id }
}
