locals {
  # The tables, their columns and what they are clustered by are generated from libs/cloud-ports.
  warehouse_tables = jsondecode(file("${path.module}/schemas/clustering.json"))
  warehouse_views  = jsondecode(file("${path.module}/schemas/views.json"))

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

resource "google_bigquery_table" "view" {
  for_each = local.warehouse_views

  dataset_id          = google_bigquery_dataset.warehouse.dataset_id
  table_id            = each.key
  deletion_protection = false

  view {
    query          = replace(replace(each.value, "{project}", var.project), "{dataset}", google_bigquery_dataset.warehouse.dataset_id)
    use_legacy_sql = false
  }

  depends_on = [google_bigquery_table.warehouse]
}

# Rows are added and read, never changed; nor is the table itself, whose shape comes from here.
resource "google_project_iam_custom_role" "appender" {
  role_id     = "tradewindAppender_${var.environment}"
  title       = "Tradewind warehouse appender, ${var.environment}"
  permissions = ["bigquery.tables.get", "bigquery.tables.getData", "bigquery.tables.updateData"]
}

resource "google_bigquery_table_iam_member" "writes" {
  for_each = merge([
    for service, tables in local.warehouse_writers : { for table in tables : "${service}/${table}" => { service = service, table = table } }
  ]...)

  dataset_id = google_bigquery_dataset.warehouse.dataset_id
  table_id   = google_bigquery_table.warehouse[each.value.table].table_id
  role       = google_project_iam_custom_role.appender.name
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

# The migration command looks at dataset, tables and views, and finds them as they must be. No data is read by this.
resource "google_bigquery_dataset_iam_member" "sees_tables" {
  for_each = toset(concat(keys(local.warehouse_writers), keys(local.warehouse_readers)))

  dataset_id = google_bigquery_dataset.warehouse.dataset_id
  role       = "roles/bigquery.metadataViewer"
  member     = google_service_account.service[each.key].member
}

resource "google_project_iam_member" "queries" {
  for_each = toset(concat(keys(local.warehouse_writers), keys(local.warehouse_readers)))

  project = var.project
  role    = "roles/bigquery.jobUser"
  member  = google_service_account.service[each.key].member
}
