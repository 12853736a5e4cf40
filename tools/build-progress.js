/** Says what a build is at, so that nobody takes its half minute for a hang. On standard error; says nothing without a step. */
export const createBuildProgress = (stepCount, isFirstBuild) => {
  const startedMs = performance.now()
  let step = 0
  return {
    begin: (about) => {
      if (step === 0) console.error(isFirstBuild ? 'Building (first start only)…' : 'Building what has changed…')
      step += 1
      console.error(`  ${step}/${stepCount}  ${about}`)
    },
    end: () => {
      if (step > 0) console.error(`Built in ${Math.ceil((performance.now() - startedMs) / 1_000)} s.\n`)
    },
  }
}
