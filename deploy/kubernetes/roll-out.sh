#!/bin/sh
# Installs or upgrades one environment: `deploy/kubernetes/roll-out.sh production`, with kubectl set to its cluster.
# Everything but the programs first, then the migrations, then the programs. It stops with code 1 before anything is
# changed when a Secret is missing, and at the first migration that fails, with its log. The old pods work on.
set -eu

environment=${1:?which overlay: production, staging or dev}
# Longer than a migration Job may take (activeDeadlineSeconds).
deadline_seconds=${MIGRATION_SECONDS_MAX:-960}
poll_seconds=${MIGRATION_POLL_SECONDS:-2}
overlay=$(dirname "$0")/overlays/$environment
namespace=tradewind-$environment
migrations=tradewind.example/phase=migrate

kube() { kubectl --namespace "$namespace" "$@"; }

release=$(mktemp)
trap 'rm -f "$release"' EXIT
kubectl kustomize "$overlay" > "$release"

# The Secrets live in the namespace, so it comes before them, and they come before what reads them.
kubectl apply --filename "$overlay/namespace.yaml"
missing=
for app in identity graphql-gateway interactions priority-api priority-webhook coordinator; do
  kube get secret "$app-secrets" --output name > /dev/null 2>&1 || missing="$missing $app-secrets"
done
# Those of OpenSearch, where the overlay has it.
for secret in graphql-gateway-feeder-secrets opensearch-users opensearch-certificates; do
  grep -Eq "ame: $secret\$" "$release" || continue
  kube get secret "$secret" --output name > /dev/null 2>&1 || missing="$missing $secret"
done
if grep -Eq 'name: opensearch-ca$' "$release"; then
  kube get configmap opensearch-ca --output name > /dev/null 2>&1 || missing="$missing opensearch-ca (a ConfigMap)"
fi
if [ -n "$missing" ]; then
  echo "These Secrets are missing in $namespace:$missing. Make them, then run this again." >&2
  exit 1
fi

# A Job cannot be changed; those of the last release are in the way of the new ones.
kube delete job --selector "$migrations" --ignore-not-found --wait
kubectl apply --filename "$release" --selector 'tradewind.example/phase!=rollout'

# `kubectl wait` waits for one condition; a Job that failed would be waited for until the time is up.
waited_seconds=0
while :; do
  jobs=$(kube get job --selector "$migrations" \
    --output 'jsonpath={range .items[*]}{.metadata.name}{" "}{.status.conditions[?(@.status=="True")].type}{"\n"}{end}')
  failed=$(printf '%s\n' "$jobs" | grep -w Failed | cut -d ' ' -f 1 || true)
  if [ -n "$failed" ]; then
    for job in $failed; do
      echo "$job failed. Its log:" >&2
      kube logs "job/$job" --tail 50 >&2 || true
    done
    exit 1
  fi
  [ -n "$jobs" ] && ! printf '%s\n' "$jobs" | grep -qvw Complete && break
  if [ "$waited_seconds" -ge "$deadline_seconds" ]; then
    echo "The migrations did not end within $deadline_seconds s:" >&2
    printf '%s\n' "$jobs" >&2
    exit 1
  fi
  sleep "$poll_seconds"
  waited_seconds=$((waited_seconds + poll_seconds))
done

kubectl apply --filename "$release"
for app in identity graphql-gateway interactions priority-api priority-webhook coordinator; do
  kube rollout status "deployment/$app-service" --timeout 10m
done
if grep -q 'name: graphql-gateway-index-follow$' "$release"; then
  kube rollout status deployment/graphql-gateway-index-follow --timeout 10m
fi
if grep -q 'name: console-service$' "$release"; then
  kube rollout status deployment/console-service --timeout 10m
fi
