output "push_service_account" {
  description = "PUSH_SERVICE_ACCOUNT of priority-api"
  value       = google_service_account.push.email
}

output "scheduler_service_account" {
  description = "SCHEDULER_SERVICE_ACCOUNT of coordinator; null where no scheduler is"
  value       = one(google_service_account.scheduler[*].email)
}

output "bigquery_dataset" {
  description = "BIGQUERY_DATASET of the services that use the warehouse"
  value       = google_bigquery_dataset.warehouse.dataset_id
}

output "profile_backup_bucket" {
  description = "OBJECT_STORE_BUCKET of priority-webhook"
  value       = google_storage_bucket.profile_backups.name
}

output "database_url_secrets" {
  description = "Secret Manager ids of each service's DATABASE_URL"
  value       = { for service, secret in google_secret_manager_secret.database_url : service => secret.secret_id }
}

output "database_ca" {
  description = "Certificate authority of the database, for the ConfigMap database-ca"
  value       = google_sql_database_instance.main.server_ca_cert[0].cert
}

output "edge_address" {
  description = "Address of the load balancer, for an A record of each host name"
  value       = google_compute_global_address.edge.address
}

output "certificate_records" {
  description = "DNS records that prove the host names, for their certificates"
  value       = { for service, authorization in google_certificate_manager_dns_authorization.edge : service => authorization.dns_resource_record[0] }
}
