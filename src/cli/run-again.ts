/**
 * Runs the same command in a child that can load the program, after this process gave up root in a folder
 * that only root can enter. This process waits, passes signals on, and ends with the child.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isStartedByNpm } from '../config.ts'
import type { Program } from '../platform/embedded/program.ts'
import { stopSignal } from './stop-signal.ts'

const MAIN = 'dist/src/main.js'

export async function runAgain(
  { node, flags, root, node_fd }: Program,
  environment: Record<string, string | undefined>,
): Promise<never> {
  const passed = node_fd === undefined ? [] : (['ignore', 'ignore', node_fd] as const)
  const child = spawn(node, [...flags, join(root, MAIN), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', ...passed],
    // Signals of a terminal would reach the child twice, and the second one ends it immediately.
    detached: true,
    // Makes the child end with its parent, even when that is killed.
    env: { ...environment, npm_lifecycle_event: 'start' },
  })
  const stop = stopSignal(isStartedByNpm(environment))
  void stop.requested.then(() => child.kill('SIGTERM'))
  const [status] = (await once(child, 'exit')) as [number | null]
  process.exit(status ?? 1)
}
