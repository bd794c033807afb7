/** Reports a problem to the operator once when it starts and once when it ends. */

/** @param message undefined when the topic has no problem */
export type Report = (topic: string, message: string | undefined) => void

export function createReporter(print: (message: string) => void): Report {
  const current = new Map<string, string>()
  return (topic, message) => {
    if (current.get(topic) === message) return
    if (message === undefined) current.delete(topic)
    else current.set(topic, message)
    try {
      print(message ?? `The ${topic} has recovered`)
    } catch {
      // A callback that throws must not stop the agent.
    }
  }
}
