# What the load balancer of the GKE overlays needs (deploy/kubernetes/components/edge-gke), under names that the overlay
# knows. That is a fixed address, a certificate for each public host name, and no TLS before 1.2.
resource "google_compute_global_address" "edge" {
  name = "tradewind-${var.environment}"
}

resource "google_compute_ssl_policy" "edge" {
  name            = "tradewind-${var.environment}"
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"
}

resource "google_certificate_manager_certificate_map" "edge" {
  name = "tradewind-${var.environment}"
}

# The certificate is issued once this record is in the DNS, before any traffic goes to the address.
resource "google_certificate_manager_dns_authorization" "edge" {
  for_each = var.hosts

  name   = "tradewind-${var.environment}-${each.key}"
  domain = each.value
}

resource "google_certificate_manager_certificate" "edge" {
  for_each = var.hosts

  name = "tradewind-${var.environment}-${each.key}"

  managed {
    domains            = [each.value]
    dns_authorizations = [google_certificate_manager_dns_authorization.edge[each.key].id]
  }
}

resource "google_certificate_manager_certificate_map_entry" "edge" {
  for_each = var.hosts

  name         = "tradewind-${var.environment}-${each.key}"
  map          = google_certificate_manager_certificate_map.edge.name
  hostname     = each.value
  certificates = [google_certificate_manager_certificate.edge[each.key].id]
}
