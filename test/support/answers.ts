/** Answers of the API that tests expect. */
import { expect } from 'vitest'

export const NOT_FOUND = { status: 404, body: { success: false, message: 'Not found' } }

export const success = (message: string, content: unknown) => ({
  status: 200,
  body: { success: true, message, content },
})

/** The body that names an invalid field. */
export const invalid = (field: string) => ({
  success: false,
  message: expect.stringMatching(/\w/) as string,
  code: 'invalid_request',
  content: { field },
})
