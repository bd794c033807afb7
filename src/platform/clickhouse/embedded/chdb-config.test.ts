import { expect, it } from 'vitest'
import { querySettings, serverConfig } from './chdb-config.ts'

const LIMITS = { memory_mb: 1024, threads: 2 }

it('the engine is told its memory, and where backups may go', () => {
  const config = serverConfig(LIMITS, '/data/a & b/backups')
  expect(config).toContain('<max_server_memory_usage>1073741824</max_server_memory_usage>')
  expect(config).toContain('<allowed_path>/data/a &amp; b/backups</allowed_path>')
})

it('one query gets less than all of the memory, and the threads that were set', () => {
  const settings = querySettings(LIMITS)
  expect(Number(settings.get('max_memory_usage'))).toBe(0.75 * 1_073_741_824)
  expect(settings.get('max_threads')).toBe('2')
})
