/** Configuration of the embedded engine: server settings in a file and settings of every query. */

export type Limits = { memory_mb: number; threads: number }

const MEGABYTE = 1_048_576

/**
 * Settings from https://clickhouse.com/docs/operations/server-configuration-parameters/settings.
 * Merges compete with queries on a small machine, so they get few threads.
 * @param backups the only folder into which BACKUP can write
 */
export function serverConfig({ memory_mb, threads }: Limits, backups: string): string {
  const merges = Math.max(2, Math.min(threads, 8))
  const settings = {
    max_server_memory_usage: memory_mb * MEGABYTE,
    mark_cache_size: Math.round((memory_mb * MEGABYTE) / 16),
    uncompressed_cache_size: 0,
    background_pool_size: merges,
    background_merges_mutations_concurrency_ratio: 1,
    background_schedule_pool_size: 4,
    background_common_pool_size: 2,
    background_move_pool_size: 1,
    background_fetches_pool_size: 1,
    background_buffer_flush_schedule_pool_size: 1,
    background_distributed_schedule_pool_size: 1,
    background_message_broker_schedule_pool_size: 1,
    timezone: 'UTC',
  }
  const lines = Object.entries(settings).map(([name, value]) => `  <${name}>${value}</${name}>`)
  const allowed = `  <backups><allowed_path>${xmlText(backups)}</allowed_path></backups>`
  return `<clickhouse>\n${[...lines, allowed].join('\n')}\n</clickhouse>\n`
}

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A result is held in memory as a whole. */
const ANSWER_MAX_BYTES = 256 * MEGABYTE
/** Parameter values become part of the SQL text. */
const SQL_MAX_BYTES = 32 * MEGABYTE
/** Default time limit of a query. */
const QUERY_MAX_SECONDS = 600

/** One query gets three quarters of the memory, which leaves some for inserts and merges. */
export function querySettings({ memory_mb, threads }: Limits): ReadonlyMap<string, string> {
  return new Map([
    ['max_threads', String(threads)],
    ['max_memory_usage', String(Math.round(memory_mb * MEGABYTE * 0.75))],
    ['max_result_bytes', String(ANSWER_MAX_BYTES)],
    ['max_query_size', String(SQL_MAX_BYTES)],
    ['max_execution_time', String(QUERY_MAX_SECONDS)],
  ])
}
