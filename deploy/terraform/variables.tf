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

variable "priority_api_url" {
  description = "Public https address of priority-api; the queue pushes to its /batch-trigger/"
  type        = string
}

variable "coordinator_url" {
  description = "Public https address of the coordinator; the scheduler calls its /run"
  type        = string
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
