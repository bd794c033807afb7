/**
 * Sends the documented requests of `/v1` with the Python client for servers, in a process of Python that
 * reads calls and writes outcomes as JSON lines (`scripts/docs/by_python.py`).
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../src/platform/package-root.ts'
import { argument, snake } from '../sdk/python.ts'
import type { Client, Outcome } from './client-call.ts'

/** @param base_url with `/v1` */
export function pythonClient(base_url: string): Client {
  const root = packageRoot()
  const driver = spawn('python3', [join(root, 'scripts', 'docs', 'by_python.py'), base_url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PYTHONPATH: join(root, 'sdk', 'server-python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  })
  const ended = once(driver, 'close')
  const lines = createInterface({ input: driver.stdout })[Symbol.asyncIterator]()
  return {
    carryOut: async ({ operation, params = {}, ...call }) => {
      const named = Object.entries(params).map(([name, value]) => [argument(name), value])
      const line = {
        ...call,
        method: snake(operation),
        params: Object.fromEntries(named) as object,
      }
      driver.stdin.write(`${JSON.stringify(line)}\n`)
      const next = await lines.next()
      if (next.done === true) throw new Error('The process of Python has ended')
      const outcome = JSON.parse(next.value) as Outcome | { fault: string }
      if ('fault' in outcome) throw new Error(outcome.fault)
      return outcome
    },
    close: async () => {
      driver.stdin.end()
      await ended
    },
  }
}

/** @returns why the Python client cannot run, or undefined if it can */
export function missingPython(): string | undefined {
  try {
    const check = 'import sys; sys.exit(sys.version_info < (3, 9))'
    execFileSync('python3', ['-c', check], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'python3, version 3.9 or later, is not installed. Install it to test the Python client'
  }
}
