/** Tries each of these roads, and prints those that lead anywhere: which give a value. */
async function attempt(roads) {
  for (const [name, go] of Object.entries(roads)) {
    try {
      const gained = await go();
      if (gained !== undefined) console.log(name, 'gave', String(gained).slice(0, 200));
    } catch {
      // It leads nowhere.
    }
  }
  console.log('tried', Object.keys(roads).length);
}
