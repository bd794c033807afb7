/** What commands say where the embedded analytics engine is not installed. */
export const ANALYTICS_ADVICE =
  'Set CLICKHOUSE_URL to a ClickHouse server, or install the package chdb: `npm install` without --omit=optional does. Until then, logs and RUM events wait in PostgreSQL, and queries of them fail'
