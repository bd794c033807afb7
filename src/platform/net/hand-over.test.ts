import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { invalidRequest } from '../http/errors.ts'
import type { Channel } from '../processes/channel.ts'
import { openHandOver, type Places } from './hand-over.ts'

type Given = { text: string }
type Member = Awaited<ReturnType<typeof newMember>>

async function newMember(folder: string, name: string) {
  let learn = (_places: Places) => {}
  const channel: Channel = {
    send: () => {},
    answer: () => {},
    ask: () => Promise.resolve(),
    on: (_type, listener) => {
      learn = (places) => listener(places, undefined)
    },
  }
  const socket = join(folder, name)
  const handOver = await openHandOver(socket, channel)
  let work = async ({ text }: Given): Promise<string> => await Promise.resolve(`${name} ${text}`)
  const run = handOver.route('work', async (given: Given) => await work(given))
  return {
    socket,
    run,
    learn: (places: Places) => learn(places),
    close: handOver.close,
    setWork: (next: typeof work) => {
      work = next
    },
  }
}

const KEYS = Array.from({ length: 50 }, (_, number) => `organization ${number}`)

async function newMembers(): Promise<[Member, Member]> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-hand-over-'))
  const members: [Member, Member] = [await newMember(folder, 'a'), await newMember(folder, 'b')]
  onTestFinished(async () => {
    await Promise.all(members.map(({ close }) => close()))
    rmSync(folder, { recursive: true, force: true })
  })
  return members
}

function introduce(members: readonly Member[]): void {
  const sockets = members.map(({ socket }) => socket)
  for (const [own, { learn }] of members.entries()) learn({ sockets, own })
}

/** A process that has just met another one does the work itself until it is connected. */
async function untilConnected({ run }: Member, other: string): Promise<string> {
  const findKey = async () => {
    for (const key of KEYS) if ((await run(key, { text: '' })) === `${other} `) return key
    return undefined
  }
  await expect.poll(findKey).toBeDefined()
  return (await findKey()) ?? ''
}

describe('work that is handed over', () => {
  it('is done in the same process for a key, wherever it arrives', async () => {
    const [a, b] = await newMembers()
    introduce([a, b])
    await untilConnected(a, 'b')
    await untilConnected(b, 'a')
    const owners = new Set<string>()
    for (const key of KEYS) {
      const text = 'line\nbreak "quoted" \u2028 ü'
      const answers = await Promise.all([a.run(key, { text }), b.run(key, { text })])
      expect(answers[0]).toBe(answers[1])
      expect(answers[0].slice(2)).toBe(text)
      owners.add(answers[0].slice(0, 1))
    }
    expect([...owners].toSorted()).toEqual(['a', 'b'])
  })

  it('is done where it arrives while the other process is not there', async () => {
    const [a, b] = await newMembers()
    for (const key of KEYS) expect(await a.run(key, { text: 'x' })).toBe('a x')
    a.learn({ sockets: [a.socket, null], own: 0 })
    for (const key of KEYS) expect(await a.run(key, { text: 'x' })).toBe('a x')
    a.learn({ sockets: [a.socket, join(b.socket, 'nowhere')], own: 0 })
    for (const key of KEYS) expect(await a.run(key, { text: 'x' })).toBe('a x')
  })

  it('is refused for the same reason as where it arrived', async () => {
    const [a, b] = await newMembers()
    introduce([a, b])
    const key = await untilConnected(a, 'b')
    b.setWork(() => Promise.reject(invalidRequest('amount_cents', 'amount_cents is wrong')))
    await expect(a.run(key, { text: '' })).rejects.toMatchObject({
      status: 400,
      body: { code: 'invalid_request', content: { field: 'amount_cents' } },
    })
    b.setWork(() => Promise.reject(new Error('a secret of the database')))
    const refused = await a.run(key, { text: '' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 500 })
    expect(JSON.stringify(refused)).not.toContain('secret')
  })

  it('is finished by a process that leaves, and further work is done elsewhere', async () => {
    const [a, b] = await newMembers()
    introduce([a, b])
    const key = await untilConnected(a, 'b')
    let finish = () => {}
    const begun = new Promise<void>((begin) => {
      b.setWork(async () => {
        begin()
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return 'finished'
      })
    })
    const answer = a.run(key, { text: '' })
    await begun
    a.learn({ sockets: [a.socket, null], own: 0 })
    const closed = b.close()
    expect(await a.run(key, { text: 'next' })).toBe('a next')
    finish()
    expect(await answer).toBe('finished')
    await closed
  })
})
