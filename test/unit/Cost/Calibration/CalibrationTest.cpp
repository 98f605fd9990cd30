// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Calibration/Calibration.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace shardsmith;

namespace {

/// A step of which so many seconds go into products, element-wise kernels,
/// gradients and a constant, at the rates of the default profile.
struct Parts {
  double products, elementwise, gradients;
  double memory;
};

double secondsOf(const Parts &parts, const StackProfile &profile) {
  return parts.products / profile.matmulRate +
         parts.elementwise * profile.elementwiseTraffic +
         parts.gradients * profile.dataExposure +
         profile.fixedMillisecondsPerStep * 1e-3;
}

double memoryOf(const Parts &parts, const StackProfile &profile) {
  return parts.memory * profile.activationFactor + profile.constantGib;
}

class CalibrationTest : public testing::Test {
protected:
  CalibrationTest() {
    // Different mixtures, so that the constants can be told apart.
    for (int i = 0; i < 24; ++i)
      parts.push_back(
          {1.0 + i % 5, 0.2 + 0.3 * (i % 4), 0.1 + 0.4 * (i % 3), 5.0 + 2 * i});
  }

  void measure(const StackProfile &truth) {
    for (size_t i = 0; i < parts.size(); ++i)
      steps.push_back({"step " + std::to_string(i), secondsOf(parts[i], truth),
                       memoryOf(parts[i], truth), 1});
  }

  std::optional<ProfileCalibration> fit(CalibrationOptions options = {}) {
    Predict predict = [this](size_t step, const StackProfile &profile) {
      return Prediction{secondsOf(parts[step], profile),
                        memoryOf(parts[step], profile)};
    };
    return calibrate(steps, predict, StackProfile(), options, error);
  }

  const CalibratedConstant &constant(const ProfileCalibration &calibration,
                                     const std::string &name) {
    for (const CalibratedConstant &each : calibration.constants)
      if (each.name == name)
        return each;
    ADD_FAILURE() << "no constant " << name;
    return calibration.constants.front();
  }

  std::vector<Parts> parts;
  std::vector<Measurement> steps;
  std::string error;
};

TEST_F(CalibrationTest, FindsTheConstantsThatMadeTheSteps) {
  StackProfile truth;
  truth.matmulRate = 0.75;
  truth.elementwiseTraffic = 1.6;
  truth.dataExposure = 0.8;
  truth.activationFactor = 1.5;
  truth.constantGib = 7;
  measure(truth);
  CalibrationOptions options;
  options.ridge = 1e-7;
  std::optional<ProfileCalibration> found = fit(options);
  ASSERT_TRUE(found) << error;
  EXPECT_NEAR(found->profile.matmulRate, 0.75, 0.01);
  EXPECT_NEAR(found->profile.elementwiseTraffic, 1.6, 0.03);
  EXPECT_NEAR(found->profile.dataExposure, 0.8, 0.03);
  EXPECT_NEAR(found->profile.activationFactor, 1.5, 0.01);
  EXPECT_NEAR(found->profile.constantGib, 7, 0.1);
  EXPECT_GT(found->timeBefore.mean, 0.1);
  EXPECT_LT(found->timeAfter.mean, 0.005);
  EXPECT_EQ(found->times, steps.size());
}

TEST_F(CalibrationTest, LeavesAloneWhatTheStepsSayNothingAbout) {
  StackProfile truth;
  truth.matmulRate = 0.75;
  measure(truth);
  std::optional<ProfileCalibration> found = fit();
  ASSERT_TRUE(found) << error;
  EXPECT_TRUE(constant(*found, "kernels.matmul_rate").isIdentified);
  EXPECT_FALSE(constant(*found, "kernels.misaligned_rate").isIdentified);
  EXPECT_EQ(found->profile.misalignedRate, StackProfile().misalignedRate);
}

TEST_F(CalibrationTest, MovesFewConstantsForFewSteps) {
  measure(StackProfile());
  steps.resize(wideCalibrationSteps - 1);
  std::optional<ProfileCalibration> few = fit();
  ASSERT_TRUE(few) << error;
  for (const CalibratedConstant &each : few->constants)
    EXPECT_NE(each.name, "kernels.misaligned_rate");
}

TEST_F(CalibrationTest, IsNotBentByOneBrokenMeasurement) {
  StackProfile truth;
  truth.matmulRate = 0.75;
  measure(truth);
  std::optional<ProfileCalibration> clean = fit();
  *steps[3].seconds *= 4;
  std::optional<ProfileCalibration> bent = fit();
  ASSERT_TRUE(clean && bent) << error;
  EXPECT_NEAR(bent->profile.matmulRate, clean->profile.matmulRate, 0.03);
  EXPECT_LT(bent->timeAfter.median, 0.03);
}

TEST_F(CalibrationTest, IsNotBentByAQuarterOfSlowSteps) {
  StackProfile truth;
  truth.matmulRate = 0.75;
  measure(truth);
  for (size_t i = 0; i < steps.size(); i += 4)
    *steps[i].seconds *= 1.3;
  CalibrationOptions options;
  options.ridge = 1e-4;
  std::optional<ProfileCalibration> robust = fit(options);
  options.robustBeyond = 1;
  std::optional<ProfileCalibration> quadratic = fit(options);
  ASSERT_TRUE(robust && quadratic) << error;
  EXPECT_NEAR(robust->profile.matmulRate, 0.75, 0.04);
  EXPECT_LT(quadratic->profile.matmulRate, 0.70);
}

TEST_F(CalibrationTest, IsTheSameEveryTime) {
  StackProfile truth;
  truth.matmulRate = 0.7;
  measure(truth);
  std::optional<ProfileCalibration> first = fit(), second = fit();
  ASSERT_TRUE(first && second) << error;
  EXPECT_EQ(first->profile, second->profile);
}

TEST_F(CalibrationTest, RefusesTooFewSteps) {
  measure(StackProfile());
  steps.resize(2);
  EXPECT_FALSE(fit());
  EXPECT_NE(error.find("too few"), std::string::npos) << error;
}

TEST_F(CalibrationTest, RefusesMeasurementsThatContradictEachOther) {
  measure(StackProfile());
  parts.push_back(parts.front());
  steps.push_back(steps.front());
  steps.back().name = "again";
  *steps.back().seconds *= 2;
  EXPECT_FALSE(fit());
  EXPECT_NE(error.find("\"again\""), std::string::npos) << error;
  EXPECT_NE(error.find("\"step 0\""), std::string::npos) << error;
}

TEST_F(CalibrationTest, RefusesWhatIsNoMeasurement) {
  measure(StackProfile());
  *steps[5].seconds = 0;
  EXPECT_FALSE(fit());
  EXPECT_NE(error.find("step 5"), std::string::npos) << error;
}

TEST_F(CalibrationTest, RefusesConstantsThatDoNotExist) {
  measure(StackProfile());
  CalibrationOptions options;
  options.constants = {"kernels.matmul_speed"};
  EXPECT_FALSE(fit(options));
  EXPECT_NE(error.find("kernels.matmul_speed"), std::string::npos) << error;
}

} // namespace
