import { expect, it } from 'vitest'
import { querySettings, serverConfig } from './chdb-config.ts'

const LIMITS = { memory_mb: 1024, threads: 2 }

it('the server configuration sets the memory limit and the folder of backups', () => {
  const config = serverConfig(LIMITS, '/data/a & b/backups')
  expect(config).toContain('<max_server_memory_usage>1073741824</max_server_memory_usage>')
  expect(config).toContain('<allowed_path>/data/a &amp; b/backups</allowed_path>')
})

it('a query gets a part of the memory and the configured threads', () => {
  const settings = querySettings(LIMITS)
  expect(Number(settings.get('max_memory_usage'))).toBe(0.75 * 1_073_741_824)
  expect(settings.get('max_threads')).toBe('2')
})
