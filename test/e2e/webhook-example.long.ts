/** Runs the example of docs/webhooks.md as a reader would: a receiver, the service, and curl. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Block, blocksOf, variablesIn, withPlaceholders } from '../../scripts/docs/examples.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { isLinux, launch, pause, run, serve, useRoom, waitFor } from './program.ts'

const createRoom = useRoom()

const text = readFileSync(join(packageRoot(), 'docs', 'webhooks.md'), 'utf8')
const section = text.slice(text.indexOf('## Try it on your machine'))
const [receiverBlock, serviceBlock, ...steps] = blocksOf(section)
const isCommand = ({ info }: Block): boolean => info === 'sh'
const WAIT_MS = 30_000
const TEST_TIMEOUT_MS = 120_000
const POLL_MS = 100

describe.skipIf(!isLinux)('the example of docs/webhooks.md', () => {
  it(
    'delivers at the second attempt, as described',
    async () => {
      const { folder: cwd } = createRoom()
      expect(receiverBlock?.text).toBe('npx vigil emulate receiver')
      const receiver = launch(['emulate', 'receiver', '--port', '0', '--json'], { cwd })
      const { allow } = JSON.parse(
        await waitFor(receiver, () => /^\{.*\}$/m.exec(receiver.stdout())?.[0]),
      ) as { allow: string }
      const service = await serve({ cwd, env: environmentOf(serviceBlock, allow) })
      const first = service.ready.first_run
      const variables: Record<string, string> = {
        ORG: first?.org_id ?? '',
        PASSWORD: first?.password ?? '',
        LIVE_KEY: first?.keys.live_secret ?? '',
      }
      const shell = async (command: string): Promise<string> => {
        const here = command
          .replaceAll('127.0.0.1:5443', allow)
          .replaceAll('127.0.0.1:8080', new URL(service.ready.url).host)
        const { stdout } = await run(['-c', here], { cwd, program: 'sh', env: variables })
        Object.assign(variables, variablesIn(stdout))
        return stdout
      }

      for (const [index, step] of steps.entries()) {
        if (!isCommand(step)) continue
        const shown = steps[index + 1]
        if (shown?.info === 'json') {
          await until(async () => {
            expect(valueOf(await shell(step.text))).toMatchObject(valueOf(shown.text))
          })
        } else expect(await shell(step.text), step.text).toMatch(/^\{/)
      }
      expect(variables['WEBHOOK_SECRET']).toMatch(/^whsec_/)
      expect(steps.filter(({ info }) => info === 'json')).toHaveLength(2)

      receiver.child.kill('SIGTERM')
      expect((await service.stop()).status).toBe(0)
      expect((await receiver.ended).status).toBe(0)
    },
    TEST_TIMEOUT_MS,
  )
})

/** Variables that are set before the command. */
function environmentOf(block: Block | undefined, allow: string): Record<string, string> {
  const words = (block?.text ?? '').replace('127.0.0.1:5443', allow).split(' ')
  expect(words.slice(-2)).toEqual(['npm', 'start'])
  return Object.fromEntries(
    words.slice(0, -2).map((word): [string, string] => {
      const [name = '', value = ''] = word.split('=')
      return [name, value]
    }),
  )
}

const valueOf = (json: string): object => JSON.parse(withPlaceholders(json)) as object

/** Waits until the assertion holds, and throws its error when it does not in time. */
async function until(assert: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    try {
      await assert()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await pause(POLL_MS)
  }
}
