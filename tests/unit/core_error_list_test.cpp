// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"
#include "core/case/error_list.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using Lines = std::vector<std::string>;

namespace {

/// The errors of a reading that begins from the text each time.
template <class Read>
Lines errors_of(std::string const& text, Read const& read) {
  return core::all_errors([&] {
    auto dictionary = core::Dictionary::parse(text, "case");
    read(dictionary);
    dictionary.check_all_read();
  });
}

}  // namespace

TEST(ErrorList, without_it_the_first_error_is_thrown) {
  auto const d = core::Dictionary::parse("a x;\nb y;\n", "case");
  EXPECT_THROW(core::attempt([&] { d.get<int>("a"); }), core::Error);
}

TEST(ErrorList, finds_each_wrong_entry_of_a_part_in_the_order_of_the_file) {
  auto const errors = errors_of("c 3;\nb -1;\na x; d { e 7; f 1; }\n", [](core::Dictionary& d) {
    d.get_or<int>("a", 1);
    d.get_positive<double>("b", 1);
    d.get<int>("c");
    d.sub("d").get_in<int>("e", {0, 5}, 1);
    d.sub("d").get<int>("f");
  });
  EXPECT_EQ(errors, (Lines{"case:2: entry 'b' is '-1', expected a number above 0",
                           "case:3: entry 'a' is 'x', expected an integer",
                           "case:3: entry 'e' is '7', expected a number from 0 to 5"}));
}

TEST(ErrorList, does_not_call_missing_what_is_there_and_wrong) {
  auto const errors = errors_of("a x;\nb y;\n", [](core::Dictionary& d) {
    core::attempt([&] { d.get<int>("a"); });
    core::attempt([&] {
      if (!d.contains("b")) d.fail("b", "neither a file nor an entry 'b' is there");
      d.get<int>("b");
    });
  });
  EXPECT_EQ(errors,
            (Lines{"case:1: entry 'a' is 'x', expected an integer", "case:2: entry 'b' is 'y', expected an integer"}));
}

TEST(ErrorList, a_part_that_fails_hides_nothing_of_the_others) {
  auto const errors = errors_of("one { a x; b 2; }\ntwo { a 1; b y; }\n", [](core::Dictionary& d) {
    for (char const* name : {"one", "two", "three"})
      core::attempt([&] {
        d.sub(name).get<int>("a");
        d.sub(name).get<int>("b");
      });
  });
  EXPECT_EQ(errors, (Lines{"case:1: entry 'a' is 'x', expected an integer", "case:1: entry 'three' is missing",
                           "case:2: entry 'b' is 'y', expected an integer"}));
}

TEST(ErrorList, what_relies_on_a_part_that_failed_ends_silently) {
  auto const errors = errors_of("size x;\n", [](core::Dictionary& d) {
    int size = 0;
    bool const sized = core::attempt([&] { size = d.get<int>("size"); });
    core::attempt([&] {
      core::rely_on(sized);
      if (size == 0) throw core::Error("nothing has no size");
    });
  });
  EXPECT_EQ(errors, (Lines{"case:1: entry 'size' is 'x', expected an integer"}));
}

TEST(ErrorList, names_all_entries_that_nobody_reads) {
  auto const errors = errors_of("a 1;\nfirst 2;\nblock { b 1; second 3; }\n", [](core::Dictionary& d) {
    d.get<int>("a");
    d.sub("block").get<int>("b");
  });
  EXPECT_EQ(errors, (Lines{"case:2: unknown entry 'first'; valid: a block",
                           "case:3: unknown entry 'second' in 'block'; valid: b"}));
}

TEST(ErrorList, does_not_call_unknown_what_was_not_reached_unless_it_resembles_something_missing) {
  auto const read = [](core::Dictionary& d) {
    core::attempt([&] {
      d.get_or<int>("interval", 1);
      if (d.get_choice("type", {"random", "file"}, "random") == "file") d.get<std::string>("name");
      d.get<int>("count");
      d.get<int>("depth");
    });
  };
  EXPECT_EQ(errors_of("type fiel;\nname x;\ncount many;\ndepth 3;\nintervall 3;\n", read),
            (Lines{"case:1: unknown type 'fiel'; did you mean 'file'? valid: random file",
                   "case:3: entry 'count' is 'many', expected an integer",
                   "case:5: unknown entry 'intervall'; did you mean 'interval'?"}));
  EXPECT_EQ(errors_of("type file;\nname x;\ncount 3;\ndepth 3;\nlength 3;\n", read),
            (Lines{"case:5: unknown entry 'length'; valid: count depth interval name type"}));
}

TEST(ErrorList, an_input_without_errors_is_read_once) {
  int times = 0;
  EXPECT_TRUE(errors_of("a 1;\n", [&](core::Dictionary& d) {
                ++times;
                d.get<int>("a");
              }).empty());
  EXPECT_EQ(times, 1);
  EXPECT_EQ(core::ErrorList::gathering(), nullptr);
}

TEST(ErrorList, a_part_that_was_not_read_ends_those_that_rely_on_it) {
  auto const errors = errors_of("a x;\nb 2;\nc 3;\n", [](core::Dictionary& d) {
    auto a = core::attempted([&] { return d.get<int>("a"); });
    auto b = core::attempted([&] { return d.get<int>("b"); });
    d.get<int>("c");
    EXPECT_FALSE(a.has_value());
    EXPECT_EQ(core::rely_on(b), 2);
    core::rely_on(a);
    ADD_FAILURE();
  });
  EXPECT_EQ(errors, Lines{"case:1: entry 'a' is 'x', expected an integer"});
}
