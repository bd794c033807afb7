/**
 * Messages between the supervisor and one of its processes: notices, and questions with answers. Both
 * ends use the same functions.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { createQuestions } from '../net/questions.ts'
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

/** Longer than the start of the analytics engine takes. */
const ANSWER_TIMEOUT_MS = 20_000

export function createChannel(end: End): Channel {
  const listeners = new Map<string, (content: unknown, socket: Socket | undefined) => unknown>()
  const notAnswering = () => new OperatorError('The other process does not answer')
  const questions = createQuestions(ANSWER_TIMEOUT_MS, notAnswering)

  const post = (message: Message | Answer, socket?: Socket): void => {
    // The callback keeps a message to a process that has just ended from being an error.
    if (end.connected) end.send(message, socket, {}, () => undefined)
  }
  const settle = ({ answers, content, fault }: Answer): void => {
    if (fault === undefined) questions.answer(answers, content)
    else questions.refuse(answers, new OperatorError(fault))
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
  const hasEnded = () => new OperatorError('The other process has ended')
  end.once('disconnect', () => questions.refuseAll(hasEnded))

  return {
    send: (type, content, socket) => post({ type, content }, socket),
    on: (type, listener) => {
      listeners.set(type, listener)
    },
    ask: async (type) => {
      if (!end.connected) throw notAnswering()
      return await questions.ask((question) => post({ type, question }))
    },
    answer: (type, work) => {
      listeners.set(type, work)
    },
  }
}
