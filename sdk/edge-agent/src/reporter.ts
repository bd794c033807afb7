/** Says what an operator should know, once when it begins and once when it is over. */

export type Say = (topic: string, message: string | undefined) => void

export function createReporter(report: (message: string) => void): Say {
  const current = new Map<string, string>()
  return (topic, message) => {
    if (current.get(topic) === message) return
    if (message === undefined) current.delete(topic)
    else current.set(topic, message)
    try {
      report(message ?? `The ${topic} is in order again`)
    } catch {
      // Reporting is a courtesy.
    }
  }
}
