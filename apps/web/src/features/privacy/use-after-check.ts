import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useKeptInput } from '../two-factor/kept-input.ts'
import { checkQuery, isComplete, useAskCheck } from '../two-factor/two-factor.api.ts'

/**
 * Does what was pressed: at once where a check is in force, else when the person is back from it, and not when they came
 * back without it. In a new browser the check wants one kind of proof more.
 */
export function useAfterCheck<Wish>(page: string, run: (wish: Wish) => void) {
  const client = useQueryClient()
  const askCheck = useAskCheck(true)
  const [wish, setWish] = useKeptInput<Wish | undefined>(page, () => undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    // As the page of the check has just left it.
    const state = client.getQueryData(checkQuery.queryKey)
    if (wish !== undefined && state && isComplete(state, true)) run(wish)
  }, [])
  const { mutate, isPending, error } = useMutation({
    // Somebody waits for it: what goes wrong is told, not tried for ever.
    mutationFn: (_: Wish) => client.fetchQuery({ ...checkQuery, retry: false }),
    onMutate: (pressed) => setWish(pressed),
    onSuccess: (state, pressed) => (isComplete(state, true) ? run(pressed) : askCheck()),
  })
  return {
    begin: (pressed: Wish) => isPending || mutate(pressed),
    busy: isPending,
    error: error?.message,
    pressed: wish,
  }
}
