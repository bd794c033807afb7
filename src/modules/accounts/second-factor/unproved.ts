import { AppError } from '../../../platform/http/errors.ts'

/** Refuses a change of an account that needs a recent proof of the second factor. */
export const unprovedChange = (): AppError =>
  new AppError(403, {
    message: 'Confirm this with your second factor',
    content: { field: 'code' },
  })
