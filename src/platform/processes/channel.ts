/**
 * Messages between the supervisor and one of its processes: notices, and questions with answers. Both
 * ends use the same functions.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { OperatorError, reasonOf } from '../operator-error.ts'

export type Channel = {
  /** Does nothing when the other end is gone. */
  send(type: string, content?: unknown, socket?: Socket): void
  on(type: string, listener: (content: unknown, socket: Socket | undefined) => unknown): void
  /** Rejects when the other end refuses, is gone, or does not answer in time. */
  ask(type: string): Promise<unknown>
  /** Answers questions. The message of an error becomes that of the rejection at the other end. */
  answer(type: string, work: () => unknown): void
}

/** The end of a channel that Node.js provides: a child, or `process` in a child. */
type End = Pick<ChildProcess, 'connected' | 'send'> & {
  on(event: 'message', listener: (message: unknown, socket: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

type Message = { type: string; content?: unknown; question?: number }
type Answer = { answers: number; content?: unknown; fault?: string }
type Asked = { resolve: (content: unknown) => void; reject: (error: Error) => void }

/** Longer than the start of the analytics engine takes. */
const ANSWER_TIMEOUT_MS = 20_000

export function createChannel(end: End): Channel {
  const listeners = new Map<string, (content: unknown, socket: Socket | undefined) => unknown>()
  const asked = new Map<number, Asked>()
  let questions = 0

  const post = (message: Message | Answer, socket?: Socket): void => {
    // The callback keeps a message to a process that has just ended from being an error.
    if (end.connected) end.send(message, socket, {}, () => undefined)
  }
  const settle = ({ answers, content, fault }: Answer): void => {
    const waiting = asked.get(answers)
    asked.delete(answers)
    if (fault === undefined) waiting?.resolve(content)
    else waiting?.reject(new OperatorError(fault))
  }
  const receive = async ({ type, content, question }: Message, socket: unknown): Promise<void> => {
    const listener = listeners.get(type)
    if (question === undefined) {
      listener?.(content, socket as Socket | undefined)
      return
    }
    try {
      post({ answers: question, content: await listener?.(content, undefined) })
    } catch (error) {
      post({ answers: question, fault: reasonOf(error) })
    }
  }
  end.on('message', (message, socket) => {
    const given = message as Message | Answer
    if ('answers' in given) settle(given)
    else void receive(given, socket)
  })
  end.once('disconnect', () => {
    for (const answers of asked.keys()) settle({ answers, fault: 'The other process has ended' })
  })

  return {
    send: (type, content, socket) => post({ type, content }, socket),
    on: (type, listener) => {
      listeners.set(type, listener)
    },
    ask: async (type) =>
      await new Promise((resolve, reject) => {
        questions += 1
        const question = questions
        const give = () => settle({ answers: question, fault: 'The other process does not answer' })
        const late = setTimeout(give, end.connected ? ANSWER_TIMEOUT_MS : 0).unref()
        const done = <T>(finish: (outcome: T) => void) => {
          return (outcome: T) => {
            clearTimeout(late)
            finish(outcome)
          }
        }
        asked.set(question, { resolve: done(resolve), reject: done(reject) })
        post({ type, question })
      }),
    answer: (type, work) => {
      listeners.set(type, work)
    },
  }
}
