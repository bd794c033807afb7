import { AppError } from '../../src/platform/http/errors.ts'

/** Whether the input is read. Anything but a refusal is a crash, and thrown. */
export function isRead(work: () => unknown): boolean {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return false
  }
  return true
}
