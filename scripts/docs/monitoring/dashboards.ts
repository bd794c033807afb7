/**
 * The Grafana dashboards, from which deploy/grafana/*.json is generated. Gauges that are read from the
 * database are the same on every node, so queries take their maximum; counters are added up.
 */
import type { Dashboard, Panel } from './grafana.ts'

const rate = (selector: string, by: string): string => `sum by (${by}) (rate(${selector}[5m]))`

const perSecond = (title: string, selector: string, by: string): Panel => ({
  title,
  unit: 'ops',
  queries: { [`{{${by}}}`]: rate(selector, by) },
})

/** Requests by status, and how long they take, of the routes that the pattern matches. */
const routes = (pattern: string): Panel[] => [
  {
    title: 'Requests per second by status',
    unit: 'reqps',
    queries: {
      '{{status}}': rate(`vigil_http_request_seconds_count{route=~"${pattern}"}`, 'status'),
    },
  },
  {
    title: 'Duration of requests',
    unit: 's',
    queries: Object.fromEntries(
      [0.5, 0.95, 0.99].map((quantile) => [
        `${quantile * 100} %`,
        `histogram_quantile(${quantile}, ${rate(`vigil_http_request_seconds_bucket{route=~"${pattern}"}`, 'le')})`,
      ]),
    ),
  },
]

const gauge = (title: string, unit: string, name: string, by?: string): Panel => ({
  title,
  unit,
  queries:
    by === undefined ? { [title]: `max(${name})` } : { [`{{${by}}}`]: `max by (${by}) (${name})` },
})

const age = (title: string, name: string, by?: string): Panel => gauge(title, 's', name, by)

export const DASHBOARDS: readonly Dashboard[] = [
  {
    name: 'overview',
    title: 'Vigil: overview',
    panels: [
      gauge('Database accepts writes', 'bool_yes_no', 'vigil_database_writable'),
      gauge('Versions', 'short', 'vigil_build_info', 'version'),
      ...routes('/v1/.*|/console/api/.*'),
      {
        title: 'Share of requests with an error of the service',
        unit: 'percentunit',
        queries: {
          errors:
            'sum(rate(vigil_http_request_seconds_count{status="500"}[5m])) / sum(rate(vigil_http_request_seconds_count[5m]))',
        },
      },
      perSecond('Requests over a rate limit', 'vigil_rate_limit_refusals_total', 'limit'),
      {
        title: 'Age of the oldest that waits',
        unit: 's',
        queries: {
          webhooks: 'max(vigil_webhooks_oldest_seconds)',
          'logs and events': 'max(vigil_spool_oldest_seconds)',
          'requests to Google': 'max(vigil_mdm_oldest_seconds)',
          notifications: 'max(vigil_push_oldest_seconds)',
          'usage to debit': 'max(vigil_billing_oldest_seconds)',
        },
      },
      perSecond('Errors of the database', 'vigil_database_errors_total', 'kind'),
    ],
  },
  {
    name: 'fraud',
    title: 'Vigil: checks, orders and cashiers',
    panels: [
      ...routes('/v1/check.*'),
      ...routes('/v1/orders.*|/v1/profiles.*'),
      ...routes('/v1/cashier.*'),
      perSecond('Look-ups', 'vigil_lookups_total', 'kind'),
      perSecond('Look-ups without an answer', 'vigil_lookups_total{outcome!="known"}', 'outcome'),
      gauge('Open reviews (up to 10,000)', 'short', 'vigil_reviews_open'),
      gauge('Waiting replays', 'short', 'vigil_replays_waiting'),
      age('Oldest waiting replay', 'vigil_replays_oldest_seconds'),
    ],
  },
  {
    name: 'webhooks',
    title: 'Vigil: webhooks',
    panels: [
      perSecond('Attempts', 'vigil_delivery_attempts_total{kind="webhook"}', 'outcome'),
      gauge('Due deliveries (up to 10,000)', 'short', 'vigil_webhooks_waiting'),
      age('Oldest due delivery of an active endpoint', 'vigil_webhooks_oldest_seconds'),
      gauge('Endpoints that Vigil paused', 'short', 'vigil_webhooks_paused'),
    ],
  },
  {
    name: 'telemetry',
    title: 'Vigil: logs and events',
    panels: [
      ...routes('/v1/edge/.*|/v1/rum/.*'),
      perSecond('Blocks sent', 'vigil_delivery_attempts_total{kind="spool"}', 'outcome'),
      gauge('Waiting data', 'bytes', 'vigil_spool_waiting_bytes', 'target'),
      age('Oldest waiting row', 'vigil_spool_oldest_seconds', 'target'),
      gauge('Rejected blocks', 'short', 'vigil_spool_refused_rows', 'target'),
    ],
  },
  {
    name: 'devices',
    title: 'Vigil: Android devices',
    panels: [
      ...routes('/v1/mdm/.*'),
      perSecond(
        'Requests to Google',
        'vigil_delivery_attempts_total{kind=~"publish_policy|assign_policy|delete_device|issue_command"}',
        'outcome',
      ),
      gauge('Waiting requests', 'short', 'vigil_mdm_waiting', 'kind'),
      gauge('Failing requests', 'short', 'vigil_mdm_failing', 'kind'),
      age('Oldest waiting request', 'vigil_mdm_oldest_seconds', 'kind'),
      age('Remaining pause', 'vigil_mdm_pause_seconds', 'class'),
      gauge('Device notifications that wait for a lock', 'short', 'vigil_mdm_put_off'),
      age('Oldest of them', 'vigil_mdm_put_off_oldest_seconds'),
    ],
  },
  {
    name: 'push',
    title: 'Vigil: push',
    panels: [
      perSecond('Attempts', 'vigil_delivery_attempts_total{kind="push"}', 'outcome'),
      gauge('Waiting recipients', 'short', 'vigil_push_waiting', 'provider'),
      age('Oldest due batch', 'vigil_push_oldest_seconds', 'provider'),
      gauge('Rejected credentials', 'short', 'vigil_push_needs_attention', 'provider'),
      gauge('Paused applications', 'short', 'vigil_push_paused', 'provider'),
      perSecond('Registrations of apps', 'vigil_push_registrations_total', 'outcome'),
    ],
  },
  {
    name: 'jobs',
    title: 'Vigil: billing, retention and jobs',
    panels: [
      age('Oldest usage that was not debited', 'vigil_billing_oldest_seconds'),
      age('Hourly sums of usage are behind by', 'vigil_volume_oldest_seconds'),
      perSecond('Runs that failed', 'vigil_job_runs_total{outcome="failed"}', 'name'),
      perSecond('Time in jobs, per second', 'vigil_job_seconds_total', 'name'),
      {
        title: 'Time since the last success',
        unit: 's',
        queries: {
          '{{name}}': 'time() - max by (name) (vigil_job_last_success_timestamp_seconds)',
        },
      },
      {
        title: 'Time since all expired data was deleted',
        unit: 's',
        queries: { '{{sweep}}': 'min by (sweep) (vigil_retention_lag_seconds)' },
      },
      {
        title: 'Age of the newest backup',
        unit: 's',
        queries: {
          age: 'time() - max(vigil_backup_last_success_timestamp_seconds)',
          interval: 'max(vigil_backup_interval_seconds)',
        },
      },
      {
        title: 'Size of the newest backup',
        unit: 'bytes',
        queries: { bytes: 'max(vigil_backup_bytes)' },
      },
    ],
  },
  {
    name: 'postgresql',
    title: 'Vigil: PostgreSQL',
    panels: [
      perSecond('Errors', 'vigil_database_errors_total', 'kind'),
      age('Standbys are behind by', 'vigil_postgres_standby_lag_seconds', 'standby'),
      {
        title: 'Time that a statement waits for a connection',
        unit: 's',
        queries: {
          '{{instance}}': `${rate('vigil_database_pool_wait_seconds_total', 'instance')} / ${rate('vigil_database_pool_acquired_total', 'instance')}`,
        },
      },
      {
        title: 'Connections of the pools',
        unit: 'short',
        queries: {
          '{{state}}': 'sum by (state) (vigil_database_pool_connections)',
          maximum: 'sum(vigil_database_pool_max)',
          waiting: 'sum(vigil_database_pool_waiting)',
        },
      },
      {
        title: 'Connections of the server',
        unit: 'short',
        queries: {
          used: 'max(vigil_postgres_connections)',
          maximum: 'max(vigil_postgres_connections_max)',
          'waiting for a lock': 'max(vigil_postgres_waiting_for_locks)',
        },
      },
      age('Oldest open transaction', 'vigil_postgres_oldest_transaction_seconds'),
      gauge('Deadlocks', 'short', 'vigil_postgres_deadlocks'),
      gauge('Write-ahead log on the disk', 'bytes', 'vigil_postgres_wal_bytes'),
      {
        title: 'Write-ahead log per second',
        unit: 'Bps',
        queries: { written: 'max(deriv(vigil_postgres_wal_position_bytes[10m]))' },
      },
    ],
  },
  {
    name: 'capacity',
    title: 'Vigil: capacity',
    panels: [
      {
        title: 'Processor time per second',
        unit: 'short',
        queries: { '{{instance}}': rate('process_cpu_seconds_total', 'instance') },
      },
      gauge('Memory', 'bytes', 'process_resident_memory_bytes', 'instance'),
      age('Delay of the event loop (99 %)', 'nodejs_eventloop_lag_p99_seconds', 'instance'),
      {
        title: 'Free share of the disk',
        unit: 'percentunit',
        queries: {
          '{{instance}}': 'min by (instance) (vigil_disk_free_bytes / vigil_disk_size_bytes)',
        },
      },
      gauge('Size of the database', 'bytes', 'vigil_postgres_database_bytes'),
      {
        title: 'Growth of the database per day',
        unit: 'bytes',
        queries: { growth: 'max(deriv(vigil_postgres_database_bytes[1d])) * 86400' },
      },
      {
        title: 'Largest tables',
        unit: 'bytes',
        queries: { '{{table}}': 'topk(10, max by (table) (vigil_postgres_table_bytes))' },
      },
      {
        title: 'Open file descriptors',
        unit: 'short',
        queries: { '{{instance}}': 'max by (instance) (process_open_fds)' },
      },
    ],
  },
]
