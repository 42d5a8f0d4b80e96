variable "project" {
  description = "Google Cloud project that holds the platform"
  type        = string
}

variable "region" {
  description = "Region of the database, the scheduler and the bucket"
  type        = string
  default     = "europe-west1"
}

variable "bigquery_location" {
  description = "Location of the warehouse dataset"
  type        = string
  default     = "EU"
}

variable "environment" {
  description = "production, staging or dev; part of the names of what may exist once per project"
  type        = string

  validation {
    condition     = contains(["production", "staging", "dev"], var.environment)
    error_message = "environment must be production, staging or dev."
  }
}

variable "kubernetes_namespace" {
  description = "Namespace of the overlay that runs in this environment, for workload identity"
  type        = string
}

variable "hosts" {
  description = "Public host name of each service, as in the ConfigMap `edge` of the overlay"
  type        = map(string)

  validation {
    condition     = toset(keys(var.hosts)) == toset(["identity", "graphql-gateway", "interactions", "priority-api", "priority-webhook", "coordinator"])
    error_message = "hosts must name each of the six services, and nothing else."
  }
}

variable "scheduler_audience" {
  description = "SCHEDULER_AUDIENCE of the coordinator, the https address of its /run. Empty where a CronJob starts the monthly run: then there is no scheduler"
  type        = string
  default     = ""

  validation {
    condition     = var.scheduler_audience == "" || can(regex("^https://.*/run$", var.scheduler_audience))
    error_message = "scheduler_audience must be the https address of the coordinator's /run, or empty."
  }
}

variable "network" {
  description = "Self link of the VPC network that the cluster and the database share"
  type        = string
}

variable "database_tier" {
  description = "Machine type of Cloud SQL"
  type        = string
  default     = "db-custom-2-7680"
}

variable "database_max_connections" {
  description = "max_connections of PostgreSQL. The pools of all replicas add up to less; a test compares them with this default"
  type        = number
  default     = 400
}

variable "profile_backup_bucket" {
  description = "OBJECT_STORE_BUCKET of priority-webhook. Names of buckets are global: where the default is taken, choose another and set both"
  type        = string
  default     = "scraper-monthly-priority-people"
}

variable "backup_retention_days" {
  description = "How long a profile backup cannot be deleted or replaced, days"
  type        = number
  default     = 365
}

variable "monthly_schedule" {
  description = "When the monthly run starts, in cron form and UTC"
  type        = string
  default     = "0 3 1 * *"
}

variable "opensearch_snapshot_bucket" {
  description = "Bucket for snapshots of the search indexes, where an overlay takes the component opensearch-nodes. Empty: none is made"
  type        = string
  default     = ""
}
