locals {
  # The tables, their columns and what they are clustered by are generated from libs/cloud-ports.
  warehouse_tables = jsondecode(file("${path.module}/schemas/clustering.json"))

  # Who writes or reads which table.
  warehouse_writers = {
    interactions     = ["network_posts", "network_post_comments", "network_post_reactions"]
    priority-webhook = ["scraped_profile_calls"]
  }

  warehouse_readers = {
    coordinator = ["person_fields", "person_identifiers"]
  }
}

resource "google_bigquery_dataset" "warehouse" {
  dataset_id = "tradewind_${var.environment}"
  location   = var.bigquery_location
}

resource "google_bigquery_table" "warehouse" {
  for_each = local.warehouse_tables

  dataset_id          = google_bigquery_dataset.warehouse.dataset_id
  table_id            = each.key
  schema              = file("${path.module}/schemas/${each.key}.json")
  clustering          = each.value
  deletion_protection = true

  time_partitioning {
    type  = "DAY"
    field = "ingested_at"
  }
}

resource "google_bigquery_table_iam_member" "writes" {
  for_each = merge([
    for service, tables in local.warehouse_writers : { for table in tables : "${service}/${table}" => { service = service, table = table } }
  ]...)

  dataset_id = google_bigquery_dataset.warehouse.dataset_id
  table_id   = google_bigquery_table.warehouse[each.value.table].table_id
  role       = "roles/bigquery.dataEditor"
  member     = google_service_account.service[each.value.service].member
}

resource "google_bigquery_table_iam_member" "reads" {
  for_each = merge([
    for service, tables in local.warehouse_readers : { for table in tables : "${service}/${table}" => { service = service, table = table } }
  ]...)

  dataset_id = google_bigquery_dataset.warehouse.dataset_id
  table_id   = google_bigquery_table.warehouse[each.value.table].table_id
  role       = "roles/bigquery.dataViewer"
  member     = google_service_account.service[each.value.service].member
}

# Views over the tables are made by the migration command, which runs as the service that owns them.
resource "google_bigquery_dataset_iam_member" "views" {
  for_each = toset(concat(keys(local.warehouse_writers), keys(local.warehouse_readers)))

  dataset_id = google_bigquery_dataset.warehouse.dataset_id
  role       = "roles/bigquery.dataViewer"
  member     = google_service_account.service[each.key].member
}

resource "google_project_iam_member" "queries" {
  for_each = toset(concat(keys(local.warehouse_writers), keys(local.warehouse_readers)))

  project = var.project
  role    = "roles/bigquery.jobUser"
  member  = google_service_account.service[each.key].member
}
