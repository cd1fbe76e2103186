#!/usr/bin/env bash
# Golly's patterns and random cells, under rules of each family: the same as bgolly has. Skipped (77) where Golly is not there.
set -u
for tool in bgolly python3; do
  command -v "$tool" > /dev/null || { echo "left out: no $tool"; exit 77; }
done
[ -d "${GOLLY:-/usr/share/golly}/Patterns" ] || { echo "left out: Golly's patterns are not there"; exit 77; }
. "$SOURCE/tests/support/fails.sh"
rm -rf soup* golly.rle ours.rle list

python3 "$SOURCE/tests/support/golly_soups.py" "$TESSERA" || fail 'cells are not those of bgolly'

# the trees that HashLife writes have the same population there, of two states, of more, and where the box has more than 10^9 cells
tree() { # pattern, Golly's algorithm, generations
  rm -rf tree
  "$TESSERA" automaton "$1" --algorithm hash --generations 1 --case tree --quiet || fail "$1"
  sed -i "s/generations 1;/generations $3;/" tree/constant/automatonProperties
  printf 'writeFormat macrocell;\n' >> tree/system/controlDict
  "$TESSERA" run tree --quiet || fail "$1"
  file=$(printf 'tree/results/%06d.mc' "$3")
  theirs=$(bgolly -a "$2" -s "${GOLLY:-/usr/share/golly}/Rules/" -m "$3" "$file" | tail -n 1 | tr -d ,)
  ours=$(sed -n 's/.*"population": \([0-9]*\).*/\1/p' tree/postProcessing/report.json | head -n 1)
  [ "$theirs" = "$3: $ours" ] || fail "$1: bgolly reads '$theirs', expected '$3: $ours'"
}
patterns=${GOLLY:-/usr/share/golly}/Patterns
tree "$patterns/Life/Breeders/breeder.lif" HashLife 1048576
tree "$patterns/HashLife/metapixel-parity64.mc.gz" HashLife 2048
tree "$patterns/Generations/Delta.rle" Generations 200
# a clock of wire, whose electrons leave it along a line
printf 'x = 12, y = 4, rule = WireWorld\n.2C$C2.6C$C2.C$.AB!\n' > wire.rle
tree wire.rle RuleLoader 50

# a pattern of each family, those of one generation of rules and sides at once
patterns='counter-demo.rle cell-coders-demo.rle JvN/construction-arm-demo.rle Hutton-replicator.rle gate-XOR.mcl memory-cell.mcl
  Klein-bottle.rle cross-surface.rle sphere.rle torus-with-shift.rle wolfram22.mc Langtons-Loops.rle Bosco.mcl Fireworks.mcl
  Life-Like/replicator.rle p168-knightship.rle b2ein-spaceships TripATron_BlockAligned.rle HPP.rle'
python3 "$SOURCE/bench/golly.py" $(printf -- '--only %s ' $patterns) --list list "$TESSERA" > table 2> log || fail "$(cat table log)"
[ "$(cut -f 1 list | sort -u)" = equal ] || fail "$(grep -v '^equal' list)"
[ "$(wc -l < list)" -ge "$(echo $patterns | wc -w)" ] || fail "$(wc -l < list) patterns, expected $(echo $patterns | wc -w)"
exit $failed
