# One instance, one database, one schema and one role per service (docs/decisions/0001).
resource "google_sql_database_instance" "main" {
  name                = "tradewind-${var.environment}"
  database_version    = "POSTGRES_17"
  region              = var.region
  deletion_protection = true

  settings {
    # Custom machine types exist in this edition alone; left out, PostgreSQL 16 and newer get ENTERPRISE_PLUS.
    edition           = "ENTERPRISE"
    tier              = var.database_tier
    availability_type = var.environment == "production" ? "REGIONAL" : "ZONAL"
    disk_autoresize   = true

    backup_configuration {
      enabled                        = true
      point_in_time_recovery_enabled = true
      transaction_log_retention_days = 7

      backup_retention_settings {
        retained_backups = 30
      }
    }

    ip_configuration {
      ipv4_enabled    = false
      private_network = var.network
      ssl_mode        = "ENCRYPTED_ONLY"

      # An authority of this instance alone: a certificate from it can be of no other server.
      server_ca_mode = "GOOGLE_MANAGED_INTERNAL_CA"
    }

    database_flags {
      name  = "max_connections"
      value = tostring(var.database_max_connections)
    }

    insights_config {
      query_insights_enabled = true
    }
  }
}

resource "google_sql_database" "main" {
  name     = "tradewind"
  instance = google_sql_database_instance.main.name
}

resource "random_password" "database" {
  for_each = local.services

  length  = 40
  special = false
}

resource "google_sql_user" "service" {
  for_each = local.services

  name     = replace(each.key, "-", "_")
  instance = google_sql_database_instance.main.name
  password = random_password.database[each.key].result
}

resource "google_secret_manager_secret" "database_url" {
  for_each = local.services

  secret_id = "tradewind-${var.environment}-${each.key}-database-url"

  replication {
    auto {}
  }
}

# The certificate of Cloud SQL names the instance, not its address. So it is checked against the instance's own
# authority (verify-ca), which the pods find in the ConfigMap database-ca. The option uselibpqcompat gives the mode the
# meaning that libpq gives it.
resource "google_secret_manager_secret_version" "database_url" {
  for_each = local.services

  secret      = google_secret_manager_secret.database_url[each.key].id
  secret_data = "postgres://${google_sql_user.service[each.key].name}:${random_password.database[each.key].result}@${google_sql_database_instance.main.private_ip_address}:5432/${google_sql_database.main.name}?sslmode=verify-ca&sslrootcert=/etc/tradewind/database/ca.pem&uselibpqcompat=true"
}

resource "google_secret_manager_secret_iam_member" "database_url" {
  for_each = local.services

  secret_id = google_secret_manager_secret.database_url[each.key].id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.service[each.key].member
}
