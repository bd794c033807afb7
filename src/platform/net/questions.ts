/** Questions to another process that wait for their answers, each for a limited time. */
export type Questions = {
  /**
   * @param send sends the question under a number, which the answer repeats
   * @returns the content of the answer
   * @throws what `refuse` was called with, or the error for late answers
   */
  ask(send: (number: number) => void): Promise<unknown>
  /** An answer to no waiting question is ignored. */
  answer(number: number, content: unknown): void
  refuse(number: number, error: Error): void
  refuseAll(createError: () => Error): void
  /** The number of questions that wait. */
  size(): number
}

type Waiting = { resolve: (content: unknown) => void; reject: (error: Error) => void }

export function createQuestions(timeoutMs: number, lateError: () => Error): Questions {
  const waiting = new Map<number, Waiting>()
  let numbers = 0

  const take = (number: number): Waiting | undefined => {
    const one = waiting.get(number)
    waiting.delete(number)
    return one
  }
  const refuse = (number: number, error: Error): void => take(number)?.reject(error)

  return {
    ask: async (send) => {
      numbers += 1
      const number = numbers
      const late = setTimeout(() => refuse(number, lateError()), timeoutMs).unref()
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(number, { resolve, reject })
          send(number)
        })
      } finally {
        clearTimeout(late)
      }
    },
    answer: (number, content) => take(number)?.resolve(content),
    refuse,
    refuseAll: (createError) => {
      for (const number of waiting.keys()) refuse(number, createError())
    },
    size: () => waiting.size,
  }
}
